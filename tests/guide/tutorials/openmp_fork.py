# [all]
import multiprocessing

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier


def fit(seed):
    x = numpy.random.default_rng(seed).standard_normal((2000, 10))
    y = x[:, 0] > 0
    return HistGradientBoostingClassifier(max_iter=20).fit(x, y).score(x, y) > 0.9


if __name__ == "__main__":
    fit(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("the children's fits are good:", all(pool.map(fit, [1, 2])))
# [end]
