#pragma once

// What the library and an MPI plug-in agree on: plain C, so that a plug-in needs neither libfaithful nor its compiler.
// Nothing here waits. The library asks again and again, with time-outs of its own, from one thread at a time.

extern "C" {

struct FaithfulRanksPlugin {
  int version;  // kFaithfulRanksVersion

  // All but abort: 0, or an error that error_text explains. `transfer` is never 0; once test says that it is done, its
  // number may come again.
  int (*start)(int* rank, int* size);
  int (*send)(const void* bytes, unsigned long count, int to, int channel, unsigned long* transfer);
  int (*receive)(void* bytes, unsigned long count, int from, int channel, unsigned long* transfer);
  int (*test)(unsigned long transfer, int* done);
  // Is there a message on the channel? from: a rank, or -1 for any. The answer names sender and size.
  int (*probe)(int from, int channel, int* found, int* sender, unsigned long* count);
  int (*finish)();
  void (*abort)(int code);  // ends all ranks
  void (*error_text)(int error, char* text, unsigned long room);
};

// The one symbol of a plug-in.
const FaithfulRanksPlugin* faithful_ranks_plugin();
}

inline constexpr int kFaithfulRanksVersion = 1;
