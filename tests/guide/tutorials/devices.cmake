# The programs of docs/tutorials/devices.md: on the devices that are here, and on the simulated driver of CUDA
# (amity/accel/cuda/simulator).
set(no_device "there is no device: ")
tutorial(devices_first LIBRARIES Amity::accel PRINTS "y\\[0\\] is 7, y\\[999\\] is 7" SKIPS ${no_device})
tutorial(devices_remote LIBRARIES Amity::distributed Amity::accel PROCESSES 2 PRINTS "of rank 1: 21, 21" SKIPS ${no_device})
tutorial(devices_hpxcl LIBRARIES Amity::accel PRINTS "the sum is 3000" SKIPS ${no_device})
foreach(name IN ITEMS kernels buffers order several errors time)
  tutorial(devices_${name} LIBRARIES Amity::accel PRINTS "^right" SKIPS ${no_device})
endforeach()
if(NOT AMITY_SANITIZE AND TARGET simulated_cuda)
  foreach(name IN ITEMS kernels buffers order several errors)
    set(test guide.tutorials.devices_${name}.simulated)
    add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/prints "^right" $<TARGET_FILE:tutorial_devices_${name}>)
    set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS guide
      ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/simulator;AMITY_DEVICES=cuda;AMITY_CACHE=none")
  endforeach()
endif()
