"""What measure.py runs: scikit-learn's gradient boosting over histograms, hundreds of short parallel regions for each tree.

    fit.py ROWS COLUMNS TREES

Says `ready` when the data is there; then, for each line on its standard input, fits once and prints as JSON how many seconds that
took and what comes out.
"""

import json
import sys
import time

import numpy
from sklearn.ensemble import HistGradientBoostingRegressor


def main(rows, columns, trees):
    random = numpy.random.default_rng(1)
    x = random.normal(size=(rows, columns))
    y = x[:, 0] * x[:, 1] + numpy.sin(x[:, 2]) + 0.1 * random.normal(size=rows)
    print("ready", flush=True)
    for _ in sys.stdin:
        begin = time.monotonic()
        model = HistGradientBoostingRegressor(max_iter=trees, random_state=0, early_stopping=False).fit(x, y)
        seconds = time.monotonic() - begin
        print(json.dumps({"seconds": seconds, "answers": model.predict(x[:20]).tolist()}), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
