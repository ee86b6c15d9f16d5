#include "grade/serve.hpp"

#include <memory>
#include <stdexcept>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "grade/protocol.hpp"
#include "machine/pinning.hpp"
#include "places/executor.hpp"
#include "render/words.hpp"
#include "verify/host_arrays.hpp"

namespace parlab::grade {
namespace {

constexpr int descriptor = 3;
constexpr std::size_t most_bytes = std::size_t{1} << 40;

class Runner {
 public:
  Runner(const std::string& workload, const std::string& name) {
    auto variants = Registry::instance().variants(workload);
    std::erase_if(variants, [&](const Variant* variant) {
      return !name.empty() && variant->full_name() != name;
    });
    if (variants.size() != 1) {
      throw std::runtime_error("one Register<...> is needed, there are " +
                               std::to_string(variants.size()));
    }
    variant_ = variants.front();
  }

  Message answer(Message& ask) {
    Message message;
    message.put(Answer::done);
    switch (ask.get<Ask>()) {
      case Ask::describe:
        open();
        put(message, *variant_);
        message.put(executor_->can_time());
        break;
      case Ask::load:
        load(ask);
        break;
      case Ask::run_checked: {
        const auto checked = executor_->run_checked(call(ask));
        message.put(words(checked.damage))
            .put(checked.inputs_lost)
            .put(checked.seconds);
        put(message, checked.launch);
        put_outputs(message, checked.outputs);
        break;
      }
      case Ask::sample: {
        const Call what = call(ask);
        const auto batch = executor_->sample(what, get_plan(ask));
        // Beside the grader, which is at work until it asks again, they
        // would spin and wait in turn.
        end_idle_threads();
        message.put_all(batch.seconds,
                        [](Message& to, double seconds) { to.put(seconds); });
        message.put(batch.clock_hz)
            .put(batch.highest_clock_hz)
            .put(words(batch.damage));
        message.put(batch.waited_s.has_value()).put(batch.waited_s.value_or(0));
        message.put(batch.threads);
        put_outputs(message, batch.outputs);
        break;
      }
      case Ask::transfers: {
        const auto times =
            executor_->transfers(call(ask)).value_or(TransferTimes{});
        message.put(times.to_device_s).put(times.to_host_s);
        break;
      }
      case Ask::recover:
        message.put(executor_->recover());
        break;
      case Ask::release:
        executor_->release();
        break;
    }
    return message;
  }

 private:
  void open() {
    if (executor_) return;
    if (variant_->target == Target::team)
      throw std::runtime_error("it is for several GPUs");
    if (variant_->from_host())
      throw std::runtime_error("its arrays are in the host's memory");
    executor_ = make_executor(variant_->target);
  }

  void load(Message& ask) {
    std::vector<ArraySpec> inputs, outputs;
    ask.get_all(most_of_a_list,
                [&](Message& from) { inputs.push_back(get_spec(from)); });
    ask.get_all(most_of_a_list,
                [&](Message& from) { outputs.push_back(get_spec(from)); });
    executor_->release();
    inputs_ = std::make_unique<HostArrays>(inputs);
    for (const auto& array : inputs_->view())
      ask.get_bytes(array.data, array.spec.bytes());
    executor_->load(inputs_->view(), outputs);
  }

  Call call(Message& ask) const {
    Call call{variant_, {}, {}, {}};
    get(ask, call.size, call.dtype, call.tunables);
    return call;
  }

  const Variant* variant_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<HostArrays> inputs_;
};

Message error(Answer kind, const std::string& what) {
  Message message;
  message.put(kind).put(std::string_view(what).substr(0, 3000));
  return message;
}

}  // namespace

void serve(const std::string& workload, const std::string& variant) {
  Channel channel(descriptor);
  std::unique_ptr<Runner> runner;
  while (true) {
    Message reply;
    try {
      Message ask = channel.receive(most_bytes);
      if (!runner) runner = std::make_unique<Runner>(workload, variant);
      reply = runner->answer(ask);
    } catch (const PointError& failed) {
      reply = error(Answer::point_error, words(failed.detail))
                  .put(failed.verdict)
                  .put(failed.library);
    } catch (const std::exception& failed) {
      reply = error(Answer::other_error, failed.what());
    }
    try {
      channel.send(reply);
    } catch (const std::exception&) {
      return;  // nobody asks any more
    }
  }
}

}  // namespace parlab::grade
