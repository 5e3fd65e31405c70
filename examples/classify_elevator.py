"""From a simulated elevator to a model file, with scikit-learn. Run the cells (`# %%`) one by one, or all at once."""
# %% Trips of a lift with 200 samples each. Half of them have a fault.
import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split

import faithful

lift = faithful.data.elevator(120, anomalies=50, samples=200, channels=6, faults=["dropout", "load_cell"], seed=1)
X, y = lift.labelled_arrays()
print(lift, X.shape, np.unique(y, return_counts=True))

# %% Choose an encoding. Every score is on trips that the model has not seen.
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=1)
search = GridSearchCV(faithful.TimeSeriesTransformer(epochs=6, segment=4), {"encoding": ["dft", "none"]}, cv=2)
search.fit(X_train, y_train)
print(search.best_params_, f"accuracy {search.score(X_test, y_test):.2f} on {len(y_test)} trips")

# %% Save the model in one file. The program `faithful predict` reads it too.
search.best_estimator_.save("lift.safetensors")
again = faithful.TimeSeriesTransformer.load("lift.safetensors")
assert np.array_equal(again.predict_proba(X_test), search.predict_proba(X_test))
