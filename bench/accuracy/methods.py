"""The methods of the comparison, and the runs of each."""

# Ours: arguments of `faithful train`. A method whose command the program refuses is skipped with one line.
OURS = {
    "auto": ["--model", "auto"],
    "Transformer": ["--model", "encoder"],
    "kernels": ["--model", "kernels"],
    "best": ["--preset", "best"],
    "fast": ["--preset", "fast"],
    "linear": ["--model", "linear"],
}
PEERS = ["MiniRocket", "QUANT", "MultiRocket-Hydra", "ConvTran-like"]
SEEDS = (1, 2, 3, 4, 5)
THREADS = 2

# What takes long has fewer seeds: (method, set) to the number of seeds.
FEWER_SEEDS = {}

# Series of unequal length: aeon's classifiers want equal ones, so peers get the archive's own version, in which all
# series have one length. Ours take the lengths as they are.
EQUAL_LENGTH = {"JapaneseVowels": "JapaneseVowels_eq", "PickupGestureWiimoteZ": "PickupGestureWiimoteZ_eq"}

# Accuracies of the multiverse archive (arXiv 2603.20352): official split, validation inside TRAIN, single runs.
PUBLISHED = {
    "MultiRocket-Hydra": {"NATOPS": .911, "JapaneseVowels": .984, "ArticularyWordRecognition": .990,
                          "Handwriting": .519, "UWaveGestureLibrary": .931, "LSST": .635, "BasicMotions": 1.0},
    "HC2": {"NATOPS": .928, "JapaneseVowels": .941, "ArticularyWordRecognition": .993, "Handwriting": .614,
            "UWaveGestureLibrary": .941, "LSST": .675, "BasicMotions": 1.0},
    "LITETime-MV": {"NATOPS": .967, "JapaneseVowels": .995, "ArticularyWordRecognition": .983, "Handwriting": .638,
                    "UWaveGestureLibrary": .916, "LSST": .256, "BasicMotions": 1.0},
    "ConvTran": {"NATOPS": .950, "JapaneseVowels": .992, "ArticularyWordRecognition": .963, "Handwriting": .226,
                 "UWaveGestureLibrary": .872, "LSST": .621},
}

# What the Transformer alone should reach, set before the first scoring.
TARGETS = {"NATOPS": .925, "ArticularyWordRecognition": .985, "JapaneseVowels": .985, "Handwriting": .68,
           "UWaveGestureLibrary": .92, "Libras": .95, "LSST": .60, "BasicMotions": .99}


def seeds_of(method, name):
    return SEEDS[:FEWER_SEEDS.get((method, name), len(SEEDS))]


def plan(methods, sets, seeds=SEEDS):
    """(method, set, seed) in the order of the runs: a seed of all small sets before the next seed; ConvTran-like and
    LSST, which take longest, last."""
    def cost(method, name):
        return (name == "LSST") + 2 * (method == "ConvTran-like")
    runs = [(cost(m, s), seed, i, j, m, s) for seed in seeds for i, s in enumerate(sets) for j, m in enumerate(methods)
            if seed in seeds_of(m, s)]
    return [(m, s, seed) for _, seed, _, _, m, s in sorted(runs)]
