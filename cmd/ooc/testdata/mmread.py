"""Print the seconds that SciPy's mmread takes for a file: mmread.py FILE."""
import sys
import time

from scipy.io import mmread

began = time.perf_counter()
mmread(sys.argv[1])
print(time.perf_counter() - began)
