#include "faithful/simulate/lift.h"

namespace faithful {

const std::array<ChannelInfo, kChannelCount>& elevator_channels() {
  static const std::array<ChannelInfo, kChannelCount> channels = {{
      {"Ax", "m/s^2", "car acceleration sideways", 0.008, 0.001},
      {"Ay", "m/s^2", "car acceleration front to back", 0.008, 0.001},
      {"Az", "m/s^2", "car acceleration upwards", 0.008, 0.001},
      {"Id", "A", "motor current along the rotor flux, as the drive sees it", 0.25, 0.01},
      {"Iq", "A", "motor current that makes torque, as the drive sees it", 0.25, 0.01},
      {"Om", "rad/s", "sheave speed from the encoder", 0.004, 0.0005},
      {"Phi", "rad", "sheave angle from the encoder", 0.0005, 0.0002},
      {"Vc", "m/s", "car speed", 0.003, 0.0005},
      {"Vcw", "m/s", "counterweight speed", 0.003, 0.0005},
      {"Vd", "V", "motor voltage along the rotor flux, commanded", 0.5, 0.05},
      {"Vq", "V", "motor voltage across the rotor flux, commanded", 0.5, 0.05},
      {"Zc", "m", "car height above the lowest floor", 0.0005, 0.0005},
      {"Zcw", "m", "counterweight height above its lowest place", 0.0005, 0.0005},
      {"Fc", "kN", "rope tension at the car", 0.02, 0.005},
      {"Fcw", "kN", "rope tension at the counterweight", 0.02, 0.005},
      {"Tm", "N m", "motor torque as the drive estimates it", 5.0, 0.5},
      {"Vdc", "V", "DC link voltage", 0.6, 0.1},
      {"Br", "A", "brake coil current", 0.01, 0.002},
      {"Am", "m/s^2", "machine frame acceleration", 0.02, 0.002},
      {"Wt", "kg", "load cell under the car floor", 3.0, 1.0},
      {"Vref", "m/s", "target speed", 0.0, 0.0},
      {"Tw", "degC", "winding temperature", 0.05, 0.1},
      {"Ia", "A", "current of motor phase a", 0.25, 0.01},
      {"Ib", "A", "current of motor phase b", 0.25, 0.01},
  }};
  return channels;
}

}  // namespace faithful
