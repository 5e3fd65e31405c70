#pragma once

#include <string>

#include "faithful/train/choose_encoding.h"

namespace faithful::app {

// The table of a choice, and the sentence.
std::string choice_text(const EncodingChoice& choice);

}  // namespace faithful::app
