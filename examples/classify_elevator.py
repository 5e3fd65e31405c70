"""From a simulated elevator to a model file, with scikit-learn around it; in cells."""
# %% Trips of a lift, half of them with a fault, at 200 samples a trip.
import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split

import faithful

lift = faithful.data.elevator(120, anomalies=50, samples=200, channels=6, faults=["dropout", "load_cell"], seed=1)
X, y = lift.arrays()
print(lift, X.shape, np.unique(y, return_counts=True))

# %% Which encoding? Every score is of trips that the model has not seen.
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=1)
search = GridSearchCV(faithful.TimeSeriesTransformer(epochs=6, segment=4), {"encoding": ["dft", "none"]}, cv=2)
search.fit(X_train, y_train)
print(search.best_params_, f"accuracy {search.score(X_test, y_test):.2f} on {len(y_test)} trips")

# %% One file, which the program `faithful predict` reads too.
search.best_estimator_.save("lift.safetensors")
again = faithful.TimeSeriesTransformer.load("lift.safetensors")
assert np.array_equal(again.predict_proba(X_test), search.predict_proba(X_test))
