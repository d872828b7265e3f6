# Distances between strings: stringdist's loops are OpenMP's.
library(stringdist)
threads <- as.integer(commandArgs(trailingOnly = TRUE)[1])
set.seed(11)
words <- vapply(1:400, function(i) paste(sample(letters[1:6], sample(3:14, 1), TRUE), collapse = ""), "")
for (method in c("osa", "lv", "dl", "hamming", "lcs", "qgram", "cosine", "jaccard", "jw")) {
  found <- stringdistmatrix(words, words, method = method, nthread = threads)
  found[is.infinite(found)] <- -1
  cat(method, format(sum(found), digits = 15), format(found[17, 301], digits = 15), "\n")
}
cat("nearest", sum(amatch(words[1:200], words[201:400], maxDist = 3, nthread = threads), na.rm = TRUE), "\n")
