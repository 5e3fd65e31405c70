"""From a CSV file to a diagnosis. Make the file first: awk -f examples/pump.awk > pump.csv"""
# %% Read a log of three sensors. The column `hot` says when the pump ran hot.
import faithful

pump = faithful.data.load("pump.csv", label="hot")
print(pump)

# %% Train on windows of 30 samples. Parts of the log are held out for validation and for the test.
model = faithful.fit(pump, window=30, stride=10)
model.save("pump.safetensors")  # the program reads this file too

# %% Score the test part, which the model has not seen. Each score has a 95 % interval.
found = faithful.evaluate(model, pump, held_out=True)
print(found)
print("F1", found.scores["f1"], "from", found.intervals["f1"][0], "to", found.intervals["f1"][1])

# %% Predict: a log without labels gets a class and a probability for each window.
today = faithful.data.from_arrays([pump[0].values[:1200]], channels=pump.channels, name="today")
predictions = faithful.predict(model, today)
print(predictions, "highest score", predictions.scores.max())

# %% Diagnose: which sensor raised the alarm, and when?
for alarm in faithful.diagnose("pump.safetensors", today):
    print(alarm.advice)
    assert alarm.sensors[0] == "temp"
