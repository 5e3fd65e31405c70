#pragma once

#include <cstddef>
#include <string>

#include "faithful/data/audit.h"
#include "faithful/data/dataset.h"

namespace faithful::app {

// Writes DIR/index.html: the audit, and every channel of the first `drawn` series of each part with its labelled spans
// shaded. Returns the path.
std::string write_data_page(const Dataset& dataset, const Audit& audit, const std::string& folder, std::size_t drawn);

}  // namespace faithful::app
