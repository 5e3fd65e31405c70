# A pump with three sensors, simulated. Every 300 samples it runs hot for 12. Usage: awk -f pump.awk > pump.csv
BEGIN {
  print "temp,flow,hum,hot"
  for (t = 0; t < 6000; ++t) {
    hot = t % 300 >= 240 && t % 300 < 252
    printf "%.4f,%.4f,%.4f,%d\n", 20 + 4 * hot + sin(t * 1.7), cos(t * 0.3), sin(t * 0.11) + cos(t * 2.9), hot
  }
}
