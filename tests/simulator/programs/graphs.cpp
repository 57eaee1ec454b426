// Uses the graph engine as code does that was compiled against its headers, with the std::string of before GCC 5: objects are
// made, copied and destroyed by code of the program itself, and none of them holds anything.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"

static void expect(bool held) {
    if (!held) {
        std::abort();
    }
}

namespace ge {
class StatusFactory {
  public:
    static StatusFactory *Instance();
    void add(uint32_t code, const std::string &text) { texts_.emplace(code, text); }
    std::string find(uint32_t code) const { return texts_.count(code) != 0 ? texts_.at(code) : ""; }

  private:
    std::map<uint32_t, std::string> texts_;
};

class AscendString {
  public:
    AscendString(const char *text);
    const char *GetString() const;

  private:
    std::shared_ptr<std::string> text_;
};

class Shape {
  public:
    Shape();
    explicit Shape(const std::vector<int64_t> &dims);
    std::vector<int64_t> GetDims() const;
    size_t GetDimNum() const;

  private:
    std::shared_ptr<int> kept_;
};

class TensorDesc {
  public:
    TensorDesc();
    Shape GetShape() const;

  private:
    std::shared_ptr<int> kept_;
};

class Tensor {
  public:
    Tensor();
    TensorDesc GetTensorDesc() const;
    std::unique_ptr<uint8_t[], std::function<void(uint8_t *)>> ResetData();
    uint32_t SetData(const uint8_t *data, size_t size);

  private:
    std::shared_ptr<int> kept_;
};

class Operator {
  public:
    Operator(const std::string &name, const std::string &type);
    virtual ~Operator() = default;
    std::string GetName() const;
    Operator &SetAttr(const char *name, int64_t value);
    uint32_t GetAttr(const char *name, int64_t &value) const;

  private:
    std::shared_ptr<int> kept_;
};

class OperatorFactory {
  public:
    static bool IsExistOp(const char *type);
    static Operator CreateOperator(const char *name, const char *type);
};

class OperatorCreatorRegister {
  public:
    OperatorCreatorRegister(const char *type, const std::function<Operator(const AscendString &)> &creator);
};

class Graph {
  public:
    explicit Graph(const char *name);

  private:
    std::shared_ptr<int> kept_;
};

class Session {
  public:
    explicit Session(const std::map<std::string, std::string> &options);
    ~Session();
    uint32_t AddGraph(uint32_t id, const Graph &graph, const std::map<std::string, std::string> &options);

  private:
    uint64_t number_ = 0;
    std::shared_ptr<int> kept_;
};

uint32_t GEInitialize(const std::map<std::string, std::string> &options);
uint32_t GEFinalize();
}  // namespace ge

static ge::OperatorCreatorRegister registered("Own", [](const ge::AscendString &) { return ge::Operator("a", "Own"); });

int main() {
    for (uint32_t code = 0; code < 100; code++) {
        ge::StatusFactory::Instance()->add(code, "text " + std::to_string(code));
    }
    expect(ge::StatusFactory::Instance()->find(42) == "text 42" && ge::StatusFactory::Instance()->find(100).empty());

    expect(!ge::OperatorFactory::IsExistOp("Own"));
    for (int round = 0; round < 3; round++) {
        std::shared_ptr<ge::Operator> shared = std::make_shared<ge::Operator>("name", "Own");
        std::unique_ptr<ge::Operator> owned(new ge::Operator("name", "Own"));
        ge::Operator made = ge::OperatorFactory::CreateOperator("name", "Own"), copy = made;
        std::string name = shared->GetName(), other = name;
        other += "more";
        expect(name.empty() && other == "more" && made.GetName().empty());
        int64_t value = 7;
        expect(&shared->SetAttr("axis", 1) == shared.get() && owned->GetAttr("axis", value) == 0xFFFFFFFF && value == 7);
        expect(std::strstr(aclGetRecentErrMsg(), "builds no graphs") != nullptr);
    }

    ge::Tensor tensor, copied = tensor;
    const uint8_t bytes[] = {1, 2};
    expect(tensor.SetData(bytes, sizeof bytes) != 0 && tensor.ResetData() == nullptr);
    expect(copied.GetTensorDesc().GetShape().GetDims().empty());
    expect(ge::Shape(std::vector<int64_t>{2, 3}).GetDimNum() == 0 && std::string(ge::AscendString("a").GetString()).empty());

    expect(ge::GEInitialize({{"device", "0"}}) == 0);
    {
        ge::Session session({});
        expect(session.AddGraph(0, ge::Graph("net"), {}) == 0xFFFFFFFF);
        expect(std::strstr(aclGetRecentErrMsg(), "runs no graphs") != nullptr);
    }
    expect(ge::GEFinalize() == 0);
    return 0;
}
