# Additive models, fitted by several threads.
library(mgcv)
threads <- as.integer(commandArgs(TRUE)[1])
set.seed(1)
data <- gamSim(1, n = 4000, verbose = FALSE)
by_blocks <- bam(y ~ s(x0, bs = "cr") + s(x1, bs = "cr") + s(x2, bs = "cr"), data = data, discrete = TRUE, nthreads = threads)
at_once <- gam(y ~ s(x0) + s(x1) + s(x2), data = data, method = "REML", control = gam.control(nthreads = threads))
cat(sprintf("%.5f", c(coef(by_blocks), coef(at_once))), sep = "\n")
