program consumer
  use omp_lib
  implicit none
  integer :: total
  total = 0
  !$omp parallel num_threads(4) reduction(+:total)
  total = total + omp_get_thread_num() + 1
  !$omp end parallel
  print '(a, i0)', 'sum of a team of 4: ', total
  if (total /= 10) error stop
end program
