// Prices of options by Black and Scholes' formula: each by itself, read here and written there.
#include <math.h>
#include <stdlib.h>

#include "nodes/programs.h"

static const int every_count[input_count] = {1000, 200000};
enum { rounds = 5 };
static int count;
static struct option { double spot, strike, rate, volatility, years; } * all;
static double* price;

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static double price_of(const struct option* o) {
  const double deviation = o->volatility * sqrt(o->years);
  const double d1 = (log(o->spot / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) / deviation;
  return o->spot * normal(d1) - o->strike * exp(-o->rate * o->years) * normal(d1 - deviation);
}

static void set_up(enum input input) {
  count = every_count[input];
  all = malloc(sizeof *all * (size_t)count);
  price = calloc((size_t)count, sizeof *price);
  for (int i = 0; i < count; ++i)
    all[i] = (struct option){.spot = 50 + i % 100,
                             .strike = 60 + i % 70,
                             .rate = 0.01 + 0.01 * (i % 5),
                             .volatility = 0.1 + 0.05 * (i % 9),
                             .years = 0.25 * (1 + i % 8)};
}

static void run(void) {
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < count; ++i) price[i] = price_of(&all[i]);
  }
}

static bool right(void) {
  for (int i = 0; i < count; i += 97)
    if (price[i] != price_of(&all[i])) return false;
  return true;
}

const struct node_program options_program = {"options", set_up, run, right};
