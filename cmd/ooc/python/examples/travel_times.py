"""Travel times between all places of a table of roads.

python travel_times.py roads.csv
"""

import sys

import pandas as pd

import ooc

roads = pd.read_csv(sys.argv[1])[["from", "to", "minutes"]]
store = ooc.solve(roads, out="roads.ooc", directed=False)

print(f"From Viterbo to Terracina: {store['Viterbo', 'Terracina']:.0f} minutes, by {', '.join(store.path('Viterbo', 'Terracina'))}.")

hospitals = ["Roma", "Latina", "Viterbo"]
times = store.table(hospitals)
print(pd.DataFrame({"nearest hospital": times.idxmin(), "minutes": times.min()}).sort_values("minutes").to_string())

statistics = store.stats(within=60)
reached = statistics.table["within_60"].sort_values(ascending=False)
print(f"Most places within an hour: {reached.index[0]}, {reached.iloc[0]}. Farthest apart: {' and '.join(statistics['diameter_pair'])}.")
