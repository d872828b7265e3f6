# [all]
import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info

x = numpy.random.default_rng(1).standard_normal((2000, 10))
y = x[:, 0] > 0
model = HistGradientBoostingClassifier(max_iter=20).fit(x, y)
print(f"right for {model.score(x, y):.0%}")
for library in threadpool_info():
    print(library["user_api"], library["num_threads"], library["filepath"].rpartition("/")[2])
# [end]
