#pragma once

#include <cstddef>
#include <optional>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/data/dataset.h"
#include "faithful/simulate/elevator.h"
#include "faithful/simulate/fault.h"

namespace faithful {

// One simulated trip.
struct Trip {
  TripPlan plan;
  std::optional<Fault> fault;
  Matrix<float> values;  // [samples, channels]
};

// Which stream of random numbers a trip draws from: its part and its number in it.
struct TripId {
  DataPart part = DataPart::kTrain;
  std::size_t number = 0;
};

// Trip `id` of a seed, with a fault of the kind or none: the rails, the plan and the sensors' noise do not depend on
// the fault, so that two calls that differ only in it show what it does.
FAITHFUL_API Trip simulate_trip(const ElevatorOptions& options, const Rail& rail, TripId id,
                                std::optional<FaultKind> fault);

// The span of a fault in samples.
FAITHFUL_API LabelSpan span_of(const Fault& fault, std::size_t samples);

}  // namespace faithful
