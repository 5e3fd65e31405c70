#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/field.h"
#include "faithful/base/progress.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/simulate/lift.h"

namespace faithful {

struct ElevatorOptions {
  std::size_t trips = 1000;
  double anomalies = 3;             // percent of these trips with a fault: exactly so many, rounded
  std::size_t test_trips = 0;       // trips of the same lift, drawn separately, that become DataPart::kTest
  double test_anomalies = 50;       // percent of those
  std::uint64_t seed = 1;           // of the building and of every trip
  std::size_t samples = 8000;       // a trip; they span kTripSeconds whatever their number
  std::size_t channels = 20;        // the first so many of elevator_channels()
  std::vector<std::string> faults;  // names of fault_catalog(); empty: all that the channels show
  Lift lift = {};
};

// The fields that are set by name, all but `faults`: the one table that describes them.
FAITHFUL_API std::vector<Setting> settings(ElevatorOptions& options);

// All trips: one series each with label 0 (normal) or 1 (anomalous), the fault as its span. Anomalous trips are at
// random places, their faults spread evenly over the catalogue. The same options give the same bits on any number of
// threads. InputError for options that cannot be met.
FAITHFUL_API Dataset make_elevator(const ElevatorOptions& options, ThreadPool& pool, Progress* progress = nullptr);

}  // namespace faithful
