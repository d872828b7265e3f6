! section: 11
! options: -ffree-line-length-none
program worksharing
  use omp_lib
  implicit none
  integer, parameter :: n = 200
  integer :: i, j, k, wrong, hits(n), total, last, threads, serial, order(n), at, counts(8), copied
  real(8) :: a(n), b(n), c(n), matrix(20, 30)
  integer(8) :: wide
  integer, allocatable :: kept(:), fresh(:)
  wrong = 0
  ! do: schedules, lastprivate, negative steps, collapse, both widths of the variable
  do k = 1, 4
    call omp_set_schedule(int(k, omp_sched_kind), 3)
    hits = 0
    last = 0
    !$omp parallel do schedule(runtime) lastprivate(last)
    do i = n, 1, -1
      !$omp atomic
      hits(i) = hits(i) + 1
      last = i
    end do
    if (any(hits /= 1) .or. last /= 1) wrong = wrong + 1
    hits = 0
    !$omp parallel do schedule(dynamic, 4) private(i)
    do wide = 3000000000_8, 3000000000_8 + n - 1
      hits(wide - 2999999999_8) = 1
    end do
    if (any(hits /= 1)) wrong = wrong + 1
    matrix = 0
    !$omp parallel do collapse(2) schedule(guided)
    do i = 1, 20
      do j = 30, 2, -2
        matrix(i, j) = i * j
      end do
    end do
    do i = 1, 20
      do j = 1, 30
        if (matrix(i, j) /= merge(i * j, 0, mod(j, 2) == 0)) wrong = wrong + 1
      end do
    end do
  end do
  if (wrong /= 0) print *, 'do', wrong
  ! ordered
  at = 0
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, n
    !$omp ordered
    at = at + 1
    order(at) = i
    !$omp end ordered
  end do
  do i = 1, n
    if (order(i) /= i) wrong = wrong + 1
  end do
  ! sections, single copyprivate, workshare, critical, masked
  counts = 0
  a = [(i, i = 1, n)]
  !$omp parallel private(copied)
  !$omp single
  threads = omp_get_num_threads()
  !$omp end single
  !$omp sections
  !$omp section
  counts(1) = counts(1) + 1
  !$omp section
  counts(2) = counts(2) + 1
  !$omp section
  counts(3) = counts(3) + 1
  !$omp end sections nowait
  copied = -1
  !$omp single
  copied = 77
  !$omp end single copyprivate(copied)
  if (copied /= 77) then
    !$omp atomic
    wrong = wrong + 1
  end if
  !$omp workshare
  b = a * 2
  where (a > 100) b = -b
  forall (i = 1:n) c(i) = b(i) + 1
  counts(4) = int(sum(a))
  !$omp end workshare
  !$omp critical (named)
  counts(5) = counts(5) + 1
  !$omp end critical (named)
  !$omp masked
  counts(6) = counts(6) + 1
  !$omp end masked
  !$omp end parallel
  if (any(counts(1:3) /= 1) .or. counts(4) /= n * (n + 1) / 2 .or. counts(5) /= threads .or. counts(6) /= 1) wrong = wrong + 1
  do i = 1, n
    if (b(i) /= merge(-2d0 * i, 2d0 * i, i > 100) .or. c(i) /= b(i) + 1) wrong = wrong + 1
  end do
  if (wrong /= 0) print *, 'workshare', wrong, counts
  !$omp parallel workshare
  c = sum(a(1:n:n / 10))
  !$omp end parallel workshare
  total = 0
  do i = 1, n, n / 10
    total = total + i
  end do
  if (any(c /= total)) wrong = wrong + 1
  ! allocatables: private, firstprivate, lastprivate
  allocate(kept(5))
  kept = [1, 2, 3, 4, 5]
  total = 0
  !$omp parallel firstprivate(kept) private(fresh) reduction(+: total) num_threads(4)
  if (allocated(fresh)) total = total + 1000
  allocate(fresh(omp_get_thread_num() + 1))
  fresh = 1
  kept = kept * 2
  total = total + sum(kept) + sum(fresh)
  deallocate(fresh)
  !$omp end parallel
  if (total /= 4 * 30 + 10 .or. any(kept /= [1, 2, 3, 4, 5])) wrong = wrong + 1
  !$omp parallel do lastprivate(kept)
  do i = 1, 50
    kept = i
  end do
  if (any(kept /= 50)) wrong = wrong + 1
  ! cross-iteration dependences
  order = 0
  !$omp parallel do ordered(1) schedule(static, 1)
  do i = 1, n
    !$omp ordered depend(sink: i - 2)
    if (i > 2) then
      order(i) = order(i - 2) + 1
    else
      order(i) = 1
    end if
    !$omp ordered depend(source)
  end do
  do i = 1, n
    if (order(i) /= (i + 1) / 2) wrong = wrong + 1
  end do
  ! teams, simd, loop
  total = 0
  !$omp teams distribute parallel do reduction(+: total) num_teams(3)
  do i = 1, n
    total = total + i
  end do
  if (total /= n * (n + 1) / 2) wrong = wrong + 1
  serial = 0
  !$omp simd reduction(+: serial)
  do i = 1, n
    serial = serial + i
  end do
  if (serial /= total) wrong = wrong + 1
  if (wrong /= 0) then
    print *, wrong, 'wrong'
    stop 1
  end if
  print '(a)', 'ok'
end program
