#include "saltus/scene_file/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <unordered_map>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"

namespace saltus {
namespace {

constexpr std::size_t kDeepest = 24;
constexpr std::size_t kFewKeys = 32;  // searched one by one

/// Builds the tree from the parser's events. yaml-cpp's own nodes silently keep the last of two
/// equal keys and lose the positions of keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& source)
      : text_(text), lines_(text), source_(source) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) fail(mark, "a second document starts here", "one scene per file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (key_wanted()) fail(mark, "a key is missing before the colon");
    Node node;
    const bool in_map = !stack_.empty() && stack_.back().kind == Node::Kind::map;
    node.place = in_map ? stack_.back().keys.back().place : place(mark);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (tag == "!") expect_closing_quote(mark);
    if (key_wanted()) {
      add_key(mark, value);
      return;
    }
    Node node;
    node.kind = Node::Kind::scalar;
    node.quoted = tag == "!";
    node.text = value;
    node.place = place(mark);
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  Place place(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, lines_.column(mark.line, mark.column)};
  }
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message,
                         const std::string& hint = "") const {
    const Place at = mark.is_null() ? Place{source_, 0, 0} : place(mark);
    throw SceneError("", message, hint).at(at.source, at.line, at.column);
  }

 private:
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0)
      fail(mark, "anchors (&) and aliases (*) are not supported",
           "write the value out, or in quotes");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "tags (!) are not supported", "leave the tag out");
  }
  /// yaml-cpp accepts the end of the file as a closing quote.
  void expect_closing_quote(const YAML::Mark& mark) const {
    std::size_t at = lines_.offset(mark.line, mark.column);
    const char quote = at < text_.size() ? text_[at] : '\0';
    if (quote != '"' && quote != '\'') return;  // a block scalar, | or >
    const std::string_view doubled =
        quote == '"' ? "" : "''";  // represents one quote inside the text
    for (++at; at < text_.size(); ++at) {
      if (!doubled.empty() && text_.compare(at, 2, doubled) == 0)
        ++at;
      else if (quote == '"' && text_[at] == '\\')
        ++at;
      else if (text_[at] == quote)
        break;
    }
    if (at >= text_.size())
      fail(mark, "the text in quotes does not end", "a closing " + std::string(1, quote));
  }
  bool key_wanted() const {
    return !stack_.empty() && stack_.back().kind == Node::Kind::map &&
           stack_.back().keys.size() == stack_.back().items.size();
  }
  void add_key(const YAML::Mark& mark, const std::string& key) {
    std::vector<Node::Key>& keys = stack_.back().keys;
    const auto twice = [&](const Node::Key& first) {
      fail(mark, "the key `" + key.substr(0, 60) + "` is given twice",
           "first given at line " + std::to_string(first.place.line));
    };
    if (keys.size() < kFewKeys) {
      for (const Node::Key& other : keys)
        if (other.text == key) twice(other);
    } else {  // a search of all keys would cost the square of their number
      std::unordered_map<std::string, std::size_t>& known = known_[stack_.size()];
      for (std::size_t i = known.size(); i < keys.size(); ++i) known.emplace(keys[i].text, i);
      if (const auto other = known.find(key); other != known.end()) twice(keys[other->second]);
    }
    keys.push_back({key, place(mark)});
  }
  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() >= kDeepest) fail(mark, "is nested too deeply");
    Node node;
    node.kind = kind;
    const bool in_map = !stack_.empty() && stack_.back().kind == Node::Kind::map;
    node.place = in_map && !key_wanted() ? stack_.back().keys.back().place : place(mark);
    stack_.push_back(std::move(node));
  }
  void close() {
    Node node = std::move(stack_.back());
    known_.erase(stack_.size());
    stack_.pop_back();
    // checked only here: for an unclosed bracket the parser's own message is better
    if (key_wanted())
      throw SceneError("", "a key must be a plain name")
          .at(source_, node.place.line, node.place.column);
    add(std::move(node));
  }
  void add(Node node) {
    if (stack_.empty())
      root_ = std::move(node);
    else
      stack_.back().items.push_back(std::move(node));
  }

  const std::string& text_;
  LineTable lines_;
  std::string source_;
  Node root_;
  std::vector<Node> stack_;
  /// Of open maps with many keys, by their depth: numbers of the keys.
  std::map<std::size_t, std::unordered_map<std::string, std::size_t>> known_;
  int documents_ = 0;
};

}  // namespace

Node parse_yaml(const std::string& text, const std::string& source) {
  check_text(text, source);
  std::istringstream stream(text);
  TreeBuilder builder(text, source);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    builder.fail(error.mark, "YAML syntax: " + error.msg);
  }
  return builder.take();
}

}  // namespace saltus
