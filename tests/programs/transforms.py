"""Fourier transforms by FFTW's OpenMP library, loaded as any plug-in is, checked forth and back."""

import ctypes
import sys

RTLD_GLOBAL = ctypes.RTLD_GLOBAL
fftw = ctypes.CDLL("libfftw3.so.3", RTLD_GLOBAL)
threads = ctypes.CDLL("libfftw3_omp.so.3", RTLD_GLOBAL)
fftw.fftw_plan_dft_2d.restype = ctypes.c_void_p
fftw.fftw_plan_dft_2d.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
fftw.fftw_execute.argtypes = fftw.fftw_destroy_plan.argtypes = [ctypes.c_void_p]
FORWARD, BACKWARD, ESTIMATE = -1, 1, 1 << 6

if not threads.fftw_init_threads():
    sys.exit("fftw_init_threads failed")
threads.fftw_plan_with_nthreads(int(sys.argv[1]))

for rows, columns in ((16, 16), (100, 60), (256, 512), (375, 243)):
    n = rows * columns
    data, changed, back = ((ctypes.c_double * (2 * n))() for _ in range(3))
    data[:] = [((i * 7919) % 1009) / 1009 for i in range(2 * n)]
    original = list(data)
    for source, target, sign in ((data, changed, FORWARD), (changed, back, BACKWARD)):
        plan = fftw.fftw_plan_dft_2d(rows, columns, source, target, sign, ESTIMATE)
        fftw.fftw_execute(plan)
        fftw.fftw_destroy_plan(plan)
    error = max(abs(b / n - a) for a, b in zip(original, back))
    print(rows, columns, format(changed[0], ".12e"), format(sum(map(abs, changed)), ".12e"), "right" if error < 1e-12 else error)
