#include "faithful/encoding/catalog.h"

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/bias.h"
#include "faithful/encoding/controls.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/learned.h"
#include "faithful/encoding/relative.h"
#include "faithful/encoding/rotary.h"
#include "faithful/encoding/sinusoidal.h"

namespace faithful {

namespace {

const CatalogParameter kRho{"--rho", "10000", "base of the geometric series of frequencies"};
const CatalogParameter kPeriod{"--period", "none", "positions after which the codes repeat, where S > d"};
const CatalogParameter kScale{"--scale", "as-defined", "as-defined, unit, matched or a factor"};
const CatalogParameter kHeads{"--heads", "8", "number of heads; a head is dim / heads wide"};
const CatalogParameter kSeed{"--seed", "1", "of the numbers that are drawn"};
const CatalogParameter kClip{"--clip", "16", "offsets beyond it share one vector"};
const CatalogParameter kTimeDim{"--time-dim", "16", "width of the time features"};
const CatalogParameter kPositions{"--positions-file", "none", "real-valued positions, one a line"};

constexpr const char* kInput = "input, added";

std::vector<CatalogEntry> additive_entries() {
  return {
      {.name = "sinusoidal",
       .kind = EncodingKind::kAdditive,
       .description = "sin and cos of s * rho^(-2i/d): the original encoding",
       .enters = kInput,
       .parameters = {kRho, kScale, kPositions},
       .start = "",
       .rows_depend_on_length = false,
       .real_positions = true,
       .citation = "Vaswani et al. 2017, Attention Is All You Need",
       .make = make_sinusoidal,
       .start_values = nullptr},
      {.name = "dft",
       .kind = EncodingKind::kAdditive,
       .description = "the real Fourier basis of d points read at s: one-hot, rotated",
       .enters = kInput,
       .parameters = {kPeriod, kScale, kPositions},
       .start = "",
       .rows_depend_on_length = false,
       .real_positions = true,
       .citation = "Ide, Labaien, Chen 2024, Improving Transformers using Faithful Positional Encoding",
       .make = make_dft,
       .start_values = nullptr},
      {.name = "learned",
       .kind = EncodingKind::kAdditive,
       .description = "a free vector for every position",
       .enters = kInput,
       .parameters = {kSeed, kScale},
       .start = "U(-.02, .02)",
       .rows_depend_on_length = false,
       .real_positions = false,
       .citation = "Gehring et al. 2017, Convolutional Sequence to Sequence Learning",
       .make = make_learned,
       .start_values = start_learned},
      {.name = "learned-frequency",
       .kind = EncodingKind::kAdditive,
       .description = "sqrt(1/d) cos(w s + b) with learned frequencies and phases",
       .enters = kInput,
       .parameters = {kScale, kPositions},
       .start = "w_i = 10^(-9i/(d-1)), b = 0",
       .rows_depend_on_length = false,
       .real_positions = true,
       .citation = "Lin et al. 2021, Pre-training Context and Time Aware Location Embeddings",
       .make = make_learned_frequency,
       .start_values = start_learned_frequency},
      {.name = "mtan",
       .kind = EncodingKind::kConcatenated,
       .description = "a line and sines of learned frequency over t = s/(S-1)",
       .enters = "input, concatenated; or queries and keys are projections of it alone",
       .parameters = {kTimeDim, kSeed, kPositions},
       .start = "U(-1, 1)",
       .rows_depend_on_length = true,
       .real_positions = true,
       .citation = "Shukla, Marlin 2020, Multi-Time Attention Networks for Irregularly Sampled Time Series",
       .make = make_time_features,
       .start_values = start_mtan},
      {.name = "time2vec",
       .kind = EncodingKind::kConcatenated,
       .description = "the form of mtan, with wider start values",
       .enters = "input, concatenated",
       .parameters = {kTimeDim, kSeed, kPositions},
       .start = "N(0, 1)",
       .rows_depend_on_length = true,
       .real_positions = true,
       .citation = "Kazemi et al. 2019, Time2Vec: Learning a Vector Representation of Time",
       .make = make_time_features,
       .start_values = start_time2vec},
      {.name = "tape",
       .kind = EncodingKind::kAdditive,
       .description = "sinusoidal with every frequency times d/S",
       .enters = kInput,
       .parameters = {kRho, kScale, kPositions},
       .start = "",
       .rows_depend_on_length = true,
       .real_positions = true,
       .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
       .make = make_tape,
       .start_values = nullptr},
  };
}

std::vector<CatalogEntry> attention_entries() {
  return {
      {.name = "rope",
       .kind = EncodingKind::kRotary,
       .description = "rotates pairs of coordinates by s * rho^(-2i/d_h)",
       .enters = "queries and keys",
       .parameters = {kRho, kHeads, kPositions},
       .start = "",
       .rows_depend_on_length = false,
       .real_positions = true,
       .citation = "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding",
       .make = make_rope,
       .start_values = nullptr},
      {.name = "shaw",
       .kind = EncodingKind::kRelativeVectors,
       .description = "a learned vector for every clipped offset j - i",
       .enters = "keys and values",
       .parameters = {kHeads, kClip, kSeed},
       .start = "N(0, .02)",
       .rows_depend_on_length = false,
       .real_positions = false,
       .citation = "Shaw, Uszkoreit, Vaswani 2018, Self-Attention with Relative Position Representations",
       .make = make_shaw,
       .start_values = start_shaw},
      {.name = "t5",
       .kind = EncodingKind::kLogitBias,
       .description = "a learned bias for each of 32 buckets of offsets",
       .enters = "logits",
       .parameters = {kHeads, kSeed},
       .start = "N(0, .02)",
       .rows_depend_on_length = true,
       .real_positions = false,
       .citation =
           "Raffel et al. 2020, Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
       .make = make_t5,
       .start_values = start_t5},
      {.name = "tupe",
       .kind = EncodingKind::kLogitBias,
       .description = "inner products of learned, separately projected positions",
       .enters = "logits",
       .parameters = {kHeads, kSeed},
       .start = "N(0, .02)",
       .rows_depend_on_length = true,
       .real_positions = false,
       .citation = "Ke, He, Liu 2021, Rethinking Positional Encoding in Language Pre-training",
       .make = make_tupe,
       .start_values = start_tupe},
      {.name = "alibi",
       .kind = EncodingKind::kLogitBias,
       .description = "-m_h |i - j| with one fixed slope a head",
       .enters = "logits",
       .parameters = {kHeads, kPositions},
       .start = "",
       .rows_depend_on_length = true,
       .real_positions = true,
       .citation = "Press, Smith, Lewis 2022, Train Short, Test Long: Attention with Linear Biases",
       .make = make_alibi,
       .start_values = nullptr},
      {.name = "kerple",
       .kind = EncodingKind::kLogitBias,
       .description = "-r1 ln(1 + r2 |i - j|) with learned r1, r2 > 0 a head",
       .enters = "logits",
       .parameters = {kHeads, kPositions},
       .start = "r1 = r2 = 1",
       .rows_depend_on_length = true,
       .real_positions = true,
       .citation = "Chi et al. 2022, KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
       .make = make_kerple,
       .start_values = start_kerple},
      {.name = "erpe",
       .kind = EncodingKind::kWeightBias,
       .description = "a learned weight for every offset, added after the softmax",
       .enters = "attention weights",
       .parameters = {kHeads},
       .start = "zeros",
       .rows_depend_on_length = true,
       .real_positions = false,
       .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
       .make = make_erpe,
       .start_values = start_erpe},
  };
}

std::vector<CatalogEntry> control_entries() {
  return {
      {.name = "none",
       .kind = EncodingKind::kNone,
       .description = "control: no position at all",
       .enters = "nowhere",
       .parameters = {},
       .start = "",
       .rows_depend_on_length = false,
       .real_positions = false,
       .citation = "",
       .make = make_none,
       .start_values = nullptr},
      {.name = "onehot",
       .kind = EncodingKind::kAdditive,
       .description = "control: 1 at coordinate s, S <= d",
       .enters = kInput,
       .parameters = {kScale},
       .start = "",
       .rows_depend_on_length = false,
       .real_positions = false,
       .citation = "",
       .make = make_onehot,
       .start_values = nullptr},
      {.name = "haar",
       .kind = EncodingKind::kAdditive,
       .description = "control: rows of a random orthogonal matrix",
       .enters = kInput,
       .parameters = {kSeed, kScale},
       .start = "",
       .rows_depend_on_length = true,
       .real_positions = false,
       .citation = "Mezzadri 2007, How to Generate Random Matrices from the Classical Compact Groups",
       .make = make_haar,
       .start_values = nullptr},
  };
}

std::vector<CatalogEntry> all_entries() {
  std::vector<CatalogEntry> all = additive_entries();
  for (std::vector<CatalogEntry> more : {attention_entries(), control_entries()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

const std::vector<CatalogEntry>& encoding_catalog() {
  static const std::vector<CatalogEntry> catalog = all_entries();
  return catalog;
}

const CatalogEntry& catalog_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  reject({{"encoding"}, "the name of an encoding", quote(name), suggest(name, names)});
}

}  // namespace faithful
