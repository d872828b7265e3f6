// A region, in a process that an MPI launcher may have started. Makes the file that it is given, when it is through.
#include <omp.h>
#include <stdio.h>

int main(int count, char** file) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  if (sum != omp_get_max_threads()) return 1;
  if (count > 1) fclose(fopen(file[1], "w"));
  puts("ok");
}
