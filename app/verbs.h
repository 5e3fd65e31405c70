#pragma once

// One function per verb, each in the file of its name: it describes the verb and what it runs.

#include "app/command.h"

namespace faithful::app {

Command encode_verb();
Command data_verb();
Command elevator_verb();  // of data
Command decode_verb();
Command analyze_verb();
Command list_verb();
Command evaluate_verb();
Command predict_verb();
Command show_verb();
Command train_verb();
Command diagnose_verb();
Command choose_verb();
Command compare_verb();
Command reproduce_verb();
Command demo_verb();

}  // namespace faithful::app
