#pragma once

// Diagnoses as tables.

#include "faithful/diagnose/words.h"
#include "faithful/report/table.h"

namespace faithful::app {

Table alarms_table(const DiagnosisReport& report);  // one row for each alarm that was looked into
Table sensors_table(const DiagnosisReport& report, std::size_t number, std::size_t most);  // ranked, by method
Table spans_table(const DiagnosisReport& report, std::size_t number);                      // ranked, by method
Table agreement_table(const DiagnosisReport& report, std::size_t number);                  // of each pair of methods

// Hit rates and overlap with intervals, beside the baselines; and what the methods have more than those.
Table hits_table(const DiagnosisScores& scores);
Table differences_table(const DiagnosisScores& scores);

}  // namespace faithful::app
