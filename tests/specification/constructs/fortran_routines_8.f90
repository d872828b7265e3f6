! section: 18
! options: -ffree-line-length-none
! options: -fdefault-integer-8
!
! The same with integers of 8 bytes: other entries, with `_8_` in their names.
program routines
  use omp_lib
  implicit none
  integer :: wrong, i, k, n, chunk
  integer(omp_sched_kind) :: kind
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nested
  integer(omp_allocator_handle_kind) :: allocator
  type(omp_alloctrait) :: traits(1)
  integer :: counter, count_of, numbers(4096)
  real(8) :: begun
  character(60) :: text
  wrong = 0
  begun = omp_get_wtime()
  call omp_set_dynamic(.false.)
  call expect(logical(.not. omp_get_dynamic(), 4), 'dynamic')
  call omp_set_num_threads(4)
  call expect(logical(omp_get_max_threads() == 4, 4), 'max threads')
  call omp_set_nested(.true.)
  call expect(logical(omp_get_nested(), 4), 'nested')
  call omp_set_max_active_levels(2)
  call expect(logical(omp_get_max_active_levels() == 2, 4), 'levels')
  do k = 1, 3
    call omp_set_schedule(int(k, omp_sched_kind), k * 5)
    call omp_get_schedule(kind, chunk)
    call expect(logical(iand(int(kind), 255) == k .and. chunk == k * 5, 4), 'schedule')
  end do
  call omp_set_num_teams(3)
  call expect(logical(omp_get_max_teams() == 3, 4), 'teams')
  call omp_set_teams_thread_limit(5)
  call expect(logical(omp_get_teams_thread_limit() == 5, 4), 'thread limit of teams')
  call omp_set_num_teams(0)
  call omp_set_teams_thread_limit(0)
  call omp_set_default_device(omp_get_initial_device())
  call expect(logical(omp_get_default_device() == omp_get_initial_device(), 4), 'device')
  call expect(logical(omp_get_num_devices() == omp_get_initial_device(), 4), 'devices')
  call expect(logical(omp_is_initial_device(), 4), 'initial device')
  call expect(logical(omp_get_num_procs() >= 1, 4), 'processors')
  call expect(logical(omp_get_thread_limit() >= 1, 4), 'thread limit')
  call expect(logical(omp_get_supported_active_levels() >= 1, 4), 'supported levels')
  call expect(logical(.not. omp_in_parallel() .and. .not. omp_in_final(), 4), 'not parallel')
  call expect(logical(omp_get_level() == 0 .and. omp_get_active_level() == 0, 4), 'level')
  call expect(logical(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, 4), 'league')
  call expect(logical(omp_get_max_task_priority() >= 0, 4), 'priority')
  call expect(logical(.not. omp_get_cancellation(), 4), 'cancellation')
  call expect(logical(omp_get_proc_bind() >= omp_proc_bind_false, 4), 'binding')
  do i = 0, omp_get_num_places() - 1
    n = omp_get_place_num_procs(i)
    numbers = -7
    call omp_get_place_proc_ids(i, numbers)
    call expect(logical(n >= 1 .and. all(numbers(:n) >= 0) .and. numbers(n + 1) == -7, 4), 'place')
  end do
  n = omp_get_partition_num_places()
  numbers = -7
  call omp_get_partition_place_nums(numbers)
  call expect(logical(all(numbers(:n) >= 0) .and. numbers(n + 1) == -7, 4), 'partition')
  call expect(logical(omp_get_place_num() >= -1, 4), 'place number')
  call omp_init_lock(lock)
  call omp_init_nest_lock(nested)
  counter = 0
  count_of = 0
  !$omp parallel num_threads(4)
  call omp_set_lock(lock)
  counter = counter + 1
  call omp_unset_lock(lock)
  call omp_set_nest_lock(nested)
  if (omp_test_nest_lock(nested) == 2) then
    count_of = count_of + 1
    call omp_unset_nest_lock(nested)
  end if
  call omp_unset_nest_lock(nested)
  !$omp barrier
  !$omp masked
  if (omp_test_lock(lock)) then
    counter = counter + 10
    call omp_unset_lock(lock)
  end if
  !$omp end masked
  !$omp barrier
  !$omp critical
  call expect(logical(omp_get_num_threads() == 4 .and. omp_get_level() == 1 .and. omp_in_parallel(), 4), 'inside')
  call expect(logical(omp_get_ancestor_thread_num(1) == omp_get_thread_num() .and. &
    omp_get_ancestor_thread_num(0) == 0, 4), 'ancestor')
  call expect(logical(omp_get_team_size(1) == 4 .and. omp_get_team_size(0) == 1 .and. omp_get_team_size(7) == -1, 4), 'team size')
  !$omp end critical
  !$omp end parallel
  call expect(logical(counter == 14 .and. count_of == 4, 4), 'locks')
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nested)
  call omp_set_affinity_format('%n of %N')
  n = omp_get_affinity_format(text)
  call expect(logical(n == 8 .and. text == '%n of %N', 4), 'affinity format')
  n = omp_capture_affinity(text, '%L,%n,%N')
  call expect(logical(n == 5 .and. text == '0,0,1', 4), 'captured affinity')
  traits(1) = omp_alloctrait(omp_atk_alignment, 128)
  allocator = omp_init_allocator(omp_default_mem_space, 1, traits)
  call expect(logical(allocator /= omp_null_allocator, 4), 'allocator')
  call omp_set_default_allocator(allocator)
  call expect(logical(omp_get_default_allocator() == allocator, 4), 'default allocator')
  call omp_set_default_allocator(omp_default_mem_alloc)
  call omp_destroy_allocator(allocator)
  call expect(logical(omp_pause_resource_all(omp_pause_soft) == 0, 4), 'pause')
  call expect(logical(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0, 4), 'pause of the host')
  call expect(logical(omp_get_wtime() >= begun .and. omp_get_wtick() > 0, 4), 'time')
  if (wrong /= 0) stop 1
  print '(a)', 'ok'
contains
  subroutine expect(condition, what)
    logical(4), intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    wrong = wrong + 1
    print *, what
  end subroutine
end program
