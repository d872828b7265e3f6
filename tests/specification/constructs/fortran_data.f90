! section: 5
! options: -ffree-line-length-none
module types
  implicit none
  type pair
    integer :: low = huge(1), high = -huge(1)
    real(8) :: total = 0
  end type
  integer :: module_kept = 3
  !$omp threadprivate(module_kept)
contains
  pure function joined(a, b) result(c)
    type(pair), intent(in) :: a, b
    type(pair) :: c
    c = pair(min(a%low, b%low), max(a%high, b%high), a%total + b%total)
  end function
end module
program data
  use omp_lib
  use types
  implicit none
  integer :: i, wrong, threads, right
  integer :: common_kept, other
  common /block/ common_kept, other
  !$omp threadprivate(/block/)
  type(pair) :: p, q
  integer :: sums(3, 4), expected(3, 4), smallest, ored
  complex(8) :: z
  !$omp declare reduction(join: pair: omp_out = joined(omp_out, omp_in)) initializer(omp_priv = pair())
  logical :: every, some, same, different
  real :: largest
  real(8), allocatable :: dynamic(:)
  character(5) :: word
  wrong = 0
  common_kept = 11
  other = 12
  module_kept = 13
  right = 0
  threads = 0
  !$omp parallel copyin(/block/, module_kept) reduction(+: right, threads)
  threads = threads + 1
  if (common_kept == 11 .and. other == 12 .and. module_kept == 13) right = right + 1
  common_kept = 100 + omp_get_thread_num()
  module_kept = 200 + omp_get_thread_num()
  !$omp end parallel
  if (right /= threads) wrong = wrong + 1
  right = 0
  !$omp parallel reduction(+: right)
  if (common_kept == 100 + omp_get_thread_num() .and. module_kept == 200 + omp_get_thread_num()) right = right + 1
  !$omp end parallel
  if (right /= threads) wrong = wrong + 1
  !$omp parallel
  !$omp single
  common_kept = 5
  module_kept = 6
  !$omp end single copyprivate(common_kept, module_kept)
  if (common_kept /= 5 .or. module_kept /= 6) then
    !$omp atomic
    wrong = wrong + 1
  end if
  !$omp end parallel
  ! reductions of a type of the user, of arrays, and all of the language's own
  p = pair()
  q = pair()
  sums = 1
  expected = 1
  smallest = 1000
  ored = 0
  z = (1, 1)
  every = .true.
  some = .false.
  same = .true.
  different = .false.
  largest = -1
  allocate(dynamic(6))
  dynamic = 0
  do i = 1, 300
    q = joined(q, pair(mod(i * 31, 501), mod(i * 17, 401), i))
    expected(mod(i, 3) + 1, mod(i, 4) + 1) = expected(mod(i, 3) + 1, mod(i, 4) + 1) + i
  end do
  !$omp parallel do reduction(join: p) reduction(+: sums, z, dynamic) reduction(min: smallest) reduction(ior: ored) &
  !$omp& reduction(.and.: every) reduction(.or.: some) reduction(.eqv.: same) reduction(.neqv.: different) reduction(max: largest) &
  !$omp& schedule(dynamic, 5)
  do i = 1, 300
    p = joined(p, pair(mod(i * 31, 501), mod(i * 17, 401), i))
    sums(mod(i, 3) + 1, mod(i, 4) + 1) = sums(mod(i, 3) + 1, mod(i, 4) + 1) + i
    smallest = min(smallest, mod(i * 7, 293) + 5)
    ored = ior(ored, ishft(1, mod(i, 9)))
    z = z + cmplx(i, -i, 8)
    every = every .and. i > 0
    some = some .or. i == 299
    same = same .eqv. mod(i, 3) == 0
    different = different .neqv. mod(i, 7) == 0
    largest = max(largest, real(mod(i * 13, 97)))
    dynamic(mod(i, 6) + 1) = dynamic(mod(i, 6) + 1) + i
  end do
  if (p%low /= q%low .or. p%high /= q%high .or. p%total /= q%total) wrong = wrong + 1
  if (any(sums /= expected) .or. smallest /= 5 .or. ored /= 511 .or. z /= (45151, -45149)) wrong = wrong + 1
  if (.not. every .or. .not. some .or. .not. same .or. different .or. largest /= 96) wrong = wrong + 1
  do i = 1, 6
    if (dynamic(i) /= total_of(i)) wrong = wrong + 1
  end do
  word = 'abcde'
  !$omp parallel firstprivate(word)
  if (word /= 'abcde') then
    !$omp atomic
    wrong = wrong + 1
  end if
  word = 'other'
  !$omp end parallel
  if (word /= 'abcde') wrong = wrong + 1
  if (wrong /= 0) then
    print *, wrong, 'wrong'
    stop 1
  end if
  print '(a)', 'ok'
contains
  integer function total_of(class)
    integer, intent(in) :: class
    integer :: k
    total_of = 0
    do k = 1, 300
      if (mod(k, 6) + 1 == class) total_of = total_of + k
    end do
  end function
end program
