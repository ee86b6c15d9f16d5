// Messages and their channel: the process of a submission may send anything or
// nothing, or close the channel.
#include "grade/message.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "grade/protocol.hpp"
#include "render/words.hpp"

using namespace parlab;
using namespace parlab::grade;

namespace {

struct Ends {
  Ends() {
    BOOST_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, at) == 0);
  }
  int at[2];
};

struct GivenUp : std::runtime_error {
  GivenUp() : std::runtime_error("given up") {}
};

// Called while waiting; throws after 100 ms.
std::function<void()> patience() {
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  return [until] {
    if (std::chrono::steady_clock::now() > until) throw GivenUp();
  };
}

// More than a socket can hold for a process that does not read.
Message large() {
  Message message;
  message.put(std::string(64 << 20, 'x'));
  return message;
}

Message text_number_and_verdict() {
  Message written;
  written.put(std::string_view("text"))
      .put(std::int64_t{-5})
      .put(Verdict::timed_out);
  return written;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(a_message_is_read_as_it_was_written) {
  Message read(text_number_and_verdict().bytes());
  BOOST_TEST(read.get<std::string>() == "text");
  BOOST_TEST(read.get<std::int64_t>() == -5);
  BOOST_TEST(to_string(read.get<Verdict>()) == "timed_out");
  read.expect_end();
  BOOST_CHECK_THROW(read.get<char>(), Malformed);
}

BOOST_AUTO_TEST_CASE(what_executors_say_arrives_as_it_was_said) {
  Call call{
      .variant = nullptr, .size = {3, 5}, .dtype = Dtype::f64, .tunables = {}};
  call.tunables.emplace("block", 128);
  const Detail why{
      .cause = Cause::ended_by_signal,
      .arguments = {"Killed\a", std::int64_t{9}, Quantity{2, Unit::second}},
      .further = {{.cause = Cause::interrupted}}};
  LaunchShape shape;
  shape.grid = {7, 1, 1};
  Batch batch;
  batch.waited_s = 0.5;
  Message message(Message().put(call, why, shape, batch, true).bytes());
  const auto read = message.get<Call>();
  BOOST_TEST(read.size == call.size);
  BOOST_TEST((read.dtype == call.dtype && read.tunables == call.tunables));
  const auto detail = cleaned(message.get<Detail>());
  BOOST_TEST(words(detail) ==
             "ended the program: Killed\\x07 (SIG9); interrupted");
  BOOST_TEST(std::get<Quantity>(detail.arguments[2]).value == 2);
  BOOST_TEST(message.get<LaunchShape>().grid[0] == 7);
  BOOST_TEST(message.get<Batch>().waited_s.value() == 0.5);
  BOOST_TEST(message.get<bool>());
  message.expect_end();
}

BOOST_AUTO_TEST_CASE(a_message_that_is_cut_off_is_malformed) {
  const Message written = text_number_and_verdict();
  for (std::size_t cut = 0; cut < written.bytes().size(); ++cut) {
    Message torn(written.bytes().substr(0, cut));
    BOOST_CHECK_THROW((torn.get<std::string>(), torn.get<std::int64_t>(),
                       torn.get<Verdict>()),
                      Malformed);
  }
}

BOOST_AUTO_TEST_CASE(what_a_message_says_of_itself_is_not_believed) {
  Message long_text;
  long_text.put(std::uint64_t{1} << 60);
  BOOST_CHECK_THROW(long_text.get<std::string>(), Malformed);
  Message no_verdict;
  no_verdict.put(99);
  BOOST_CHECK_THROW(no_verdict.get<Verdict>(), Malformed);
  Message long_list;
  long_list.put(std::uint64_t{1} << 40);
  BOOST_CHECK_THROW(long_list.get<std::vector<double>>(), Malformed);
  Message no_bool;
  no_bool.put(std::uint64_t{2});
  BOOST_CHECK_THROW(no_bool.get<bool>(), Malformed);
  // A long chain of causes would fill the stack.
  Detail deep;
  for (int i = 0; i < 100; ++i)
    deep = {.cause = Cause::other, .further = {deep}};
  Message nested(Message().put(deep).bytes());
  BOOST_CHECK_THROW(nested.get<Detail>(), Malformed);
}

BOOST_AUTO_TEST_CASE(a_message_arrives_as_it_was_sent) {
  const Ends ends;
  Channel ours(ends.at[0]);
  Channel theirs(ends.at[1]);
  ours.send(Message().put(std::int64_t{7}).put(std::string("seven")));
  Message there = theirs.receive(1000);
  BOOST_TEST(there.get<std::int64_t>() == 7);
  BOOST_TEST(there.get<std::string>() == "seven");
  there.expect_end();
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_read_is_given_up) {
  const Ends ends;
  Channel ours(ends.at[0]);
  const Channel theirs(ends.at[1]);
  BOOST_CHECK_THROW(ours.send(large(), patience()), GivenUp);
}

BOOST_AUTO_TEST_CASE(a_process_that_reads_slowly_is_waited_for) {
  const Ends ends;
  Channel ours(ends.at[0]);
  bool arrived = false;
  std::jthread reader([&] {
    Channel theirs(ends.at[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    arrived = theirs.receive(std::size_t{1} << 30).bytes() == large().bytes();
  });
  ours.send(large());
  reader.join();
  BOOST_TEST(arrived);
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_answer_is_given_up) {
  const Ends ends;
  Channel ours(ends.at[0]);
  const Channel theirs(ends.at[1]);
  BOOST_CHECK_THROW(ours.receive(1000, patience()), GivenUp);
  // Announcing more and then sending nothing does not help either.
  const std::uint64_t more = 100;
  BOOST_REQUIRE(write(ends.at[1], &more, sizeof more) == sizeof more);
  BOOST_CHECK_THROW(ours.receive(1000, patience()), GivenUp);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_gone_is_noticed) {
  const Ends ends;
  Channel ours(ends.at[0]);
  close(ends.at[1]);
  BOOST_CHECK_THROW(ours.send(large()), std::runtime_error);
  BOOST_CHECK_THROW(ours.receive(1000), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(an_announced_length_is_not_believed) {
  const Ends ends;
  Channel ours(ends.at[0]);
  const Channel theirs(ends.at[1]);
  const std::uint64_t much = std::uint64_t{1} << 60;
  BOOST_REQUIRE(write(ends.at[1], &much, sizeof much) == sizeof much);
  BOOST_CHECK_THROW(ours.receive(1000), Malformed);
}

BOOST_AUTO_TEST_SUITE_END()
