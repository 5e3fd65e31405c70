// The plug-in for MPI: one source, compiled once for each installed MPI (cmake/mpi.cmake). Every call returns at
// once; who waits, and how long, is decided in faithful/ranks/ranks.cpp.

#include <climits>
#include <cstdio>
#include <vector>

#include <mpi.h>

#include "faithful/ranks/plugin_internal.h"

namespace {

// Requests by number: 1 is the first.
std::vector<MPI_Request>& requests() {
  static std::vector<MPI_Request> all;
  return all;
}
std::vector<unsigned long>& free_numbers() {
  static std::vector<unsigned long> all;
  return all;
}

unsigned long keep(MPI_Request request) {
  if (free_numbers().empty()) {
    requests().push_back(request);
    free_numbers().reserve(requests().capacity());  // so that giving a number back allocates nothing
    return requests().size();
  }
  const unsigned long number = free_numbers().back();
  free_numbers().pop_back();
  requests()[number - 1] = request;
  return number;
}

int start(int* rank, int* size) {
  int given = MPI_THREAD_SINGLE;
  if (const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given)) return error;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (given < MPI_THREAD_SERIALIZED) return MPI_ERR_UNSUPPORTED_OPERATION;
  if (const int error = MPI_Comm_rank(MPI_COMM_WORLD, rank)) return error;
  return MPI_Comm_size(MPI_COMM_WORLD, size);
}

int send(const void* bytes, unsigned long count, int to, int channel, unsigned long* transfer) {
  if (count > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, channel, MPI_COMM_WORLD, &request);
  if (error == MPI_SUCCESS) *transfer = keep(request);
  return error;
}

int receive(void* bytes, unsigned long count, int from, int channel, unsigned long* transfer) {
  if (count > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, channel, MPI_COMM_WORLD, &request);
  if (error == MPI_SUCCESS) *transfer = keep(request);
  return error;
}

int test(unsigned long transfer, int* done) {
  const int error = MPI_Test(&requests()[transfer - 1], done, MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS && *done != 0) free_numbers().push_back(transfer);
  return error;
}

int probe(int from, int channel, int* found, int* sender, unsigned long* count) {
  MPI_Status status;
  const int error = MPI_Iprobe(from < 0 ? MPI_ANY_SOURCE : from, channel, MPI_COMM_WORLD, found, &status);
  if (error != MPI_SUCCESS || *found == 0) return error;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  *sender = status.MPI_SOURCE;
  *count = static_cast<unsigned long>(bytes);
  return MPI_SUCCESS;
}

int finish() {
  return MPI_Finalize();
}

void abort_job(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

void error_text(int error, char* text, unsigned long room) {
  char message[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(error, message, &length) != MPI_SUCCESS) length = 0;
  std::snprintf(text, room, "%s", length > 0 ? message : "unknown error");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FaithfulRanksPlugin* faithful_ranks_plugin() {
  static const FaithfulRanksPlugin kPlugin = {
      kFaithfulRanksVersion, start, send, receive, test, probe, finish, abort_job, error_text};
  return &kPlugin;
}
