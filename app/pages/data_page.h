#pragma once

#include <cstddef>
#include <string>

#include "app/command.h"
#include "faithful/data/audit.h"
#include "faithful/data/dataset.h"

namespace faithful::app {

// Writes DIR/index.html: the audit, and every channel of the first `drawn` series of each part with its labelled spans
// shaded. Says where it is, unless `quiet`.
void write_data_page(const Dataset& dataset, const Audit& audit, const std::string& folder, std::size_t drawn,
                     bool quiet);

// The verb `data elevator`.
Command elevator_verb();

}  // namespace faithful::app
