#pragma once

// Marks what libfaithful shows to its users; everything else stays hidden in the library.
#define FAITHFUL_API __attribute__((visibility("default")))
