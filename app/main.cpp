#include <cstdio>
#include <exception>
#include <new>

#include "app/command.h"
#include "faithful/base/error.h"
#include "faithful/base/utf8.h"

// Errors become exit codes here and nowhere else: 0 done, 1 failed, 2 bad usage or bad input.
int main(int argc, char** argv) {
  try {
    faithful::app::Command program = faithful::app::make_program();
    return faithful::app::run_program(program, {argv + 1, argv + argc});
  } catch (const faithful::InputError& error) {
    std::fprintf(stderr, "faithful: %s\n", faithful::printable(error.spelled_by(faithful::app::flag_text)).c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "faithful: out of memory\n");
    return 1;
  } catch (const faithful::Error& error) {
    std::fprintf(stderr, "faithful: %s\n", faithful::printable(error.spelled_by(faithful::app::flag_text)).c_str());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "faithful: %s\n", faithful::printable(error.what()).c_str());
    return 1;
  }
}
