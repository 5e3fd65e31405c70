#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "app/command.h"
#include "app/job.h"
#include "faithful/base/error.h"
#include "faithful/base/utf8.h"

namespace {

// A file that the program opens must never take the number of a standard stream that is closed: it would get what is
// meant for a person. Each is opened the wrong way round, so that a read or write still fails as on a closed one;
// standard error, which nobody misses, takes everything.
void occupy_standard_streams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", kModes[stream]);
}

// One line, whatever happens meanwhile: what it takes to make the line may fail, too.
int report(const std::exception& error, int code) {
  try {
    const auto* ours = dynamic_cast<const faithful::Error*>(&error);
    const std::string text = ours == nullptr ? error.what() : ours->spelled_by(faithful::app::flag_text);
    faithful::app::report_failure(faithful::printable(text), code);
  } catch (const std::bad_alloc&) {
    faithful::app::report_failure("out of memory", code);
  }
  return code;
}

}  // namespace

// Errors become exit codes here and nowhere else: 0 done, 1 failed, 2 bad usage or bad input.
int main(int argc, char** argv) {
  occupy_standard_streams();
  faithful::app::outlive_readers();
  try {
    faithful::app::Command program = faithful::app::make_program();
    return faithful::app::run_program(program, {argv + 1, argv + argc});
  } catch (const faithful::InputError& error) {
    return report(error, 2);
  } catch (const std::bad_alloc&) {
    faithful::app::report_failure("out of memory", 1);
    return 1;
  } catch (const std::exception& error) {
    return report(error, 1);
  }
}
