// Measurements in the words of the page.
#pragma once

#include <string>

#include "page/measured.hpp"

namespace parlab::page {

std::string duration(double seconds);  // "16.24 µs"
// "16.2–16.3 µs", "too few samples"
std::string interval(const Summary& summary);
std::string interval(const Uncertain& time);
std::string joules(double value);            // "16.24 mJ"
std::string joules(const Summary& summary);  // its interval: "16.2–16.3 mJ"
std::string factor(double value);            // "1.52×", "310×"
std::string range(const Ratio& ratio);  // "1.50–1.54×", "too few samples"
// The same; says when it cannot be told from 1:
// "1.50–1.54×", "0.99–1.01×: a tie".
std::string interval(const Ratio& ratio);

std::string name(const Record& record);     // "cuda/naive"
std::string setting(const Record& record);  // "cuda/naive, block=16"
// "on different GPUs" when both say on which one they were measured and it is
// not the same; else "on different hosts" when their hosts had other GPUs; else
// "".
std::string of_two(const Record& a, const Record& b);
// The interval of a ratio of them in words, with that behind it.
std::string with_of_two(const std::string& interval,
                        const Record& a,
                        const Record& b);
inline const std::string what_of_two_means =
    "\"On different GPUs\" or \"hosts\": the two times were measured on two of "
    "this name: GPUs of one kind differ by some percent, their hosts by up to "
    "a factor of two.";
// What is written for a terminal as a page writes it: "1.29×" for "1.29x",
// "14.2 µs" for "14.2 us".
std::string typeset(const std::string& text);
// "4096×4096", "n = 1024", "512×512, radius 16"
std::string dimensions(const Record& record);
// Of the roof: 0..1 and, wrongly, above; nothing when it was not measured.
std::optional<double> of_roof(const Entry& entry);
std::string bandwidth(double bytes_per_second);  // "4.12 TB/s", "94.2 GB/s"
std::string rate(double flops_per_second);       // "61.2 Tflop/s"
// The same of a unit's peak; "33.2 Top/s" where it computes integers.
std::string peak_rate(const std::string& unit, double flops_per_second);
// The numbers of an axis, of one digit: "20 ms", "10 Tflop/s", "2000", "10⁸".
std::string tick_seconds(double seconds);
std::string tick_rate(double flops_per_second);
std::string tick_count(double value);
// "1 point", "3 points"
std::string counted(std::size_t count, const std::string& one);

}  // namespace parlab::page
