#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace faithful::kernels {

// Numbers aligned to 64 bytes, as the matrix multiply packs them.
template <class T>
class Packed {
 public:
  explicit Packed(std::size_t count)
      : data_(static_cast<T*>(::operator new(std::max<std::size_t>(count, 1) * sizeof(T), std::align_val_t(64)))) {}
  T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* data) const { ::operator delete(data, std::align_val_t(64)); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace faithful::kernels
