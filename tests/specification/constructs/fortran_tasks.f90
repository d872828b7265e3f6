! section: 12
! options: -ffree-line-length-none
module tree
  implicit none
contains
  recursive function fib(n) result(f)
    integer, intent(in) :: n
    integer :: f, a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a) firstprivate(n) if(n > 5)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n) final(n < 6)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function
end module
program tasks
  use omp_lib
  use tree
  implicit none
  integer :: i, j, f, wrong, x(40), y, total, hits(100), expected(40)
  integer(omp_event_handle_kind) :: event
  wrong = 0
  !$omp parallel
  !$omp single
  f = fib(16)
  !$omp end single
  !$omp end parallel
  if (f /= 987) wrong = wrong + 1
  ! dependences of array sections: each block in order, serial oracle
  x = 0
  expected = 0
  do i = 1, 60
    j = mod(i * 7, 4) * 10 + 1
    expected(j:j + 9) = expected(j:j + 9) * 3 + i
    expected = modulo(expected, 10007)
  end do
  !$omp parallel private(j)
  !$omp single
  do i = 1, 60
    j = mod(i * 7, 4) * 10 + 1
    !$omp task depend(inout: x(j:j + 9)) firstprivate(i, j) shared(x)
    x(j:j + 9) = modulo(x(j:j + 9) * 3 + i, 10007)
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (any(x /= expected)) wrong = wrong + 1
  ! taskloop, taskgroup reductions, priorities
  hits = 0
  total = 0
  !$omp parallel
  !$omp single
  !$omp taskloop grainsize(7) reduction(+: total)
  do i = 1, 100
    hits(i) = hits(i) + 1
    total = total + i
  end do
  !$omp end taskloop
  !$omp taskgroup task_reduction(+: total)
  do i = 1, 100
    !$omp task in_reduction(+: total) firstprivate(i) priority(2)
    total = total + i
    !$omp end task
  end do
  !$omp end taskgroup
  !$omp taskloop simd num_tasks(5)
  do i = 100, 1, -1
    hits(i) = hits(i) + 1
  end do
  !$omp end single
  !$omp end parallel
  if (any(hits /= 2) .or. total /= 10100) wrong = wrong + 1
  ! detach
  y = 0
  !$omp parallel
  !$omp single
  do i = 1, 20
    !$omp task detach(event) depend(out: y)
    !$omp end task
    !$omp task firstprivate(event) shared(total)
    !$omp atomic
    total = total + 1
    call omp_fulfill_event(event)
    !$omp end task
    !$omp task depend(in: y) firstprivate(i) shared(wrong, total)
    if (total < 10100 + i) then
      !$omp atomic
      wrong = wrong + 1
    end if
    !$omp end task
    !$omp taskwait
  end do
  !$omp end single
  !$omp end parallel
  if (total /= 10120) wrong = wrong + 1
  if (wrong /= 0) then
    print *, wrong, 'wrong'
    stop 1
  end if
  print '(a)', 'ok'
end program
