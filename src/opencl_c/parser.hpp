// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"
#include "scopes.hpp"
#include "translate/diagnostics.hpp"
#include "tree.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ferry::opencl_c {

/// Parses and checks in one pass, because parsing C requires the set of type names.
class Parser {
public:
    Parser(Tree& tree, translate::Diagnostics& diagnostics, const Options& options);

    void run();

private:
    struct Stop {};    ///< Thrown at a syntax error. Caught at the next point where parsing can continue.
    struct TooMany {}; ///< Thrown at the limit of errors or nesting. Ends parsing.

    struct Attributes {
        std::uint64_t aligned = 0;
        bool packed = false;
        bool overloadable = false;
        unsigned vector_lanes = 0; ///< The argument of ext_vector_type.
        std::array<std::uint32_t, 3> required_local{};
        std::optional<std::uint32_t> unroll;
        std::optional<std::uint32_t> of_kernel; ///< the token of an attribute that only kernels have
    };
    struct Specifiers {
        Type type;
        std::uint32_t token = 0;
        bool has_space = false;
        Space space = Space::private_;
        bool is_typedef = false, is_extern = false, is_static = false, is_inline = false, kernel = false;
        std::optional<std::uint32_t> storage; ///< The token of the storage class.
        bool made_type = false; ///< It defines a struct, union or enum, so a declarator is optional.
        Attributes attributes;
    };
    struct Chunk {
        enum class Kind : std::uint8_t { pointer, array, function };
        Kind kind = Kind::pointer;
        Type qualifiers; ///< The qualifiers of a pointer, with index 0.
        std::uint64_t count = unknown_size;
        std::uint32_t token = 0;
        std::vector<VarId> parameters;
        std::vector<std::string> parameter_types;
    };
    struct Declarator {
        std::string_view name;
        std::uint32_t token = 0;
        Type type;
        bool is_function = false;
        std::vector<VarId> parameters; ///< The parameters of the declared function.
        std::vector<std::string> parameter_types;
        Attributes attributes;
    };
    enum class Use : std::uint8_t { initialise, assign, pass, give_back };

    // parser.cpp: tokens, messages, nodes
    const translate::Token& peek(std::uint32_t ahead = 0);
    std::uint32_t at(); ///< The index of the current token.
    std::uint32_t advance();
    bool is(std::string_view text) { return peek().is(text); }
    bool accept(std::string_view text);
    std::uint32_t expect(std::string_view text, const char* after);
    bool is_name(); ///< A word that can be declared.
    bool is_word() { return peek().is_identifier(); }
    void error(std::uint32_t token, std::string message);
    void warning(std::uint32_t token, std::string message);
    void note(std::uint32_t token, std::string message);
    [[noreturn]] void fail(std::uint32_t token, std::string message);
    [[noreturn]] void fail_behind(std::uint32_t token, std::string message);
    [[noreturn]] void fail_here(std::string message) { fail(at(), std::move(message)); }
    void skip_to_statement_end();
    void skip_balanced();
    std::string shown(std::uint32_t token) const; ///< "'foo'" or "the end of the text".
    std::string name(Type t) const { return "'" + tree_.types.name(t) + "'"; }
    ExprId add(Expr expr);
    ExprId bad(std::uint32_t token);
    StmtId add(Stmt stmt);
    List list_of(const std::vector<std::uint32_t>& items);
    Expr& expr(ExprId id) { return tree_.exprs[id]; }
    Type type_of(ExprId id) const { return tree_.exprs[id].type; }
    bool is_bad(ExprId id) const { return tree_.types.is_error(tree_.exprs[id].type); }
    std::uint32_t token_of(ExprId id) const { return tree_.exprs[id].token; }
    class Nesting;
    class Scope;

    // pragmas.cpp, attributes.cpp
    void handle_pragma(std::uint32_t token);
    void pack_pragma(std::uint32_t token);
    void attributes(Attributes& into);
    void attribute(Attributes& into);
    void skip_arguments();
    void refuse_kernel_attributes(const Attributes& attributes);
    std::uint64_t attribute_number(std::uint64_t most);
    Type with_attributes(Type type, const Attributes& attributes, std::uint32_t token);

    // declarations.cpp: file scope, functions, variables
    void external_declaration();
    void function_definition(const Specifiers& specifiers, Declarator& declarator);
    FunctionId declare_function(const Specifiers& specifiers, const Declarator& declarator, bool defines);
    void unite_labels(std::size_t first_statement);
    void check_kernel(const Function& function);
    void check_kernel_parameter(const Variable& parameter);
    VarId declare_variable(const Specifiers& specifiers, const Declarator& declarator);
    void check_variable(const Specifiers& specifiers, const Variable& variable);
    void refuse_type_name(const Declarator& declarator);
    void declare_typedef(const Specifiers& specifiers, const Declarator& declarator);
    List declaration(Specifiers specifiers); ///< Declarators up to ';'. Returns VarIds.
    void check_calls();

    // type_names.cpp: specifiers and declarators
    bool starts_type(std::uint32_t ahead = 0);
    Specifiers specifiers(bool members = false);
    bool qualifier(Specifiers& into, Type& qualifiers);
    bool space_word(std::string_view word, Space& space) const;
    Type scalar_of(const std::vector<std::uint32_t>& words);
    Declarator declarator(const Specifiers& specifiers, bool abstract);
    void declarator_chunks(std::vector<Chunk>& chunks, Declarator& into, bool abstract);
    Chunk array_chunk();
    Chunk function_chunk();
    VarId parameter(std::vector<std::string>& types);
    Type apply(Type type, const std::vector<Chunk>& chunks, Declarator& into);
    Type type_name();
    /// A sampler or an image: one is used only where it is declared.
    bool is_resource(Type type) const {
        return types_.is(type, TypeKind::sampler) || types_.is(type, TypeKind::image);
    }
    std::string spelling(std::uint32_t begin, std::uint32_t end) const;
    std::string_view kernel_ahead(bool is_kernel);

    // records.cpp
    Type record_specifier();
    void record_members(Type type);
    Type enum_specifier();
    void enumerators(Type type);

    // statements.cpp
    StmtId compound(bool new_scope);
    StmtId statement(bool may_declare = false);
    StmtId statement_inside(bool may_declare);
    StmtId if_statement();
    StmtId for_statement();
    StmtId while_statement();
    StmtId do_statement();
    StmtId switch_statement();
    StmtId case_statement();
    StmtId jump_statement();
    StmtId return_statement();
    StmtId body_of_loop();
    ExprId condition();
    bool falls_through(StmtId id) const;

    // expressions.cpp: the grammar
    ExprId expression();
    ExprId assignment();
    ExprId conditional();
    ExprId binary(int least);
    ExprId unary();
    ExprId cast_or_literal();
    ExprId size_of_expression(std::uint32_t token, std::string_view word);
    ExprId postfix(ExprId e);
    ExprId primary();
    ExprId identifier();
    ExprId statement_expression(std::uint32_t token);
    std::vector<ExprId> arguments();

    // literals.cpp
    ExprId number();
    ExprId integer_literal(std::uint32_t token, std::string_view text);
    ExprId floating_literal(std::uint32_t token, std::string_view text);
    ExprId character();
    ExprId string();
    std::string unescaped(std::uint32_t token);
    ExprId integer(std::uint64_t value, Type type, std::uint32_t token);

    // operators.cpp: rules of operators
    ExprId make_binary(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_arithmetic(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_additive(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_shift(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_comparison(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId compare_pointers(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_logical(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_conditional(std::uint32_t token, ExprId c, ExprId a, ExprId b);
    ExprId make_selection(std::uint32_t token, ExprId c, ExprId a, ExprId b);
    std::optional<Type> common_pointer(std::uint32_t token, ExprId& a, ExprId& b);
    ExprId make_assignment(std::uint32_t token, ExprId a, ExprId b);
    ExprId make_compound(Op op, std::uint32_t token, ExprId a, ExprId b);
    ExprId make_unary(std::string_view op, std::uint32_t token, ExprId a);
    ExprId make_address(std::uint32_t token, ExprId a);
    ExprId make_dereference(std::uint32_t token, ExprId a);
    ExprId make_step(Op op, std::uint32_t token, ExprId a);
    bool check_assignable(std::uint32_t token, ExprId a);
    void note_write(ExprId a, bool address);
    ExprId invalid_operands(std::uint32_t token, ExprId a, ExprId b);

    // access.cpp: a[b], a.b, a->b
    ExprId make_element(std::uint32_t token, ExprId a, ExprId b);
    ExprId make_member(std::uint32_t token, ExprId a, bool arrow);
    ExprId make_swizzle(std::uint32_t token, ExprId a, std::uint32_t word);
    ExprId member_of(ExprId a, const MemberPath& path, std::uint32_t token);

    // calls.cpp
    ExprId call(std::uint32_t name_token, std::uint32_t paren);
    ExprId call_function(std::uint32_t token, const std::vector<FunctionId>& candidates,
                         std::vector<ExprId> arguments);
    ExprId call_builtin(std::uint32_t token, std::vector<ExprId> arguments);
    ExprId call_conversion(std::uint32_t token, std::vector<ExprId> arguments);
    void note_builtin(std::string_view name);
    ExprId call_printf(std::uint32_t token, std::vector<ExprId> arguments);
    ExprId call_image(std::uint32_t token, std::vector<ExprId> arguments);
    ExprId call_compiler_builtin(std::uint32_t token, std::vector<ExprId> arguments);
    ExprId undeclared(std::uint32_t token, bool called);
    struct Match;
    std::optional<int> rank(ExprId argument, Type parameter) const;
    ExprId finish_call(std::uint32_t token, Type result, std::vector<ExprId> arguments,
                       const std::vector<Type>& parameters);

    // conversions.cpp
    ExprId value(ExprId e); ///< Converts an lvalue to its value and an array to a pointer.
    ExprId wrap(Conversion conversion, ExprId e, Type to, bool is_explicit = false);
    ExprId convert(ExprId e, Type to, Use use, std::uint32_t token);
    ExprId convert_pointer(ExprId e, Type to, Use use, std::uint32_t token);
    ExprId arithmetic_to(ExprId e, Type to);
    ExprId promote(ExprId e);
    bool usual_conversions(std::uint32_t token, ExprId& a, ExprId& b, bool with_promotion = true);
    bool splat_to(std::uint32_t token, ExprId& scalar, Type vector);
    Type common_arithmetic(Type a, Type b) const;
    ExprId truth(ExprId e, const char* what);
    ExprId cast(ExprId e, Type to, std::uint32_t token);
    ExprId cast_vector(ExprId e, Type to, std::uint32_t token);
    ExprId vector_literal(Type type, std::vector<ExprId> items, std::uint32_t token);
    bool is_null(ExprId e) const;
    std::string use_text(Use use, Type from, Type to) const;

    // initialisers.cpp
    struct Item;   ///< An item of a list in braces.
    struct Object; ///< An object being initialized, with its parts.
    ExprId initialiser(Type& type, bool constant);
    Item braces();
    Item item();
    void fill(Object& object, std::vector<Item>& items, std::size_t& next, bool braced);
    void fill_part(Object& part, std::vector<Item>& items, std::size_t& next, std::size_t designator);
    void fill_vector(Object& object, std::vector<Item>& items, std::uint32_t token);
    bool fill_string(Object& object, ExprId string);
    Object* part_of(Object& object, std::uint64_t place, std::uint32_t token);
    ExprId finished(const Object& object, std::uint32_t token);

    // constants.cpp
    std::optional<std::int64_t> evaluate(ExprId e) const; ///< The value of an integer constant expression.
    /// Whether it can initialize a variable in constant memory.
    bool is_constant(ExprId e) const;
    std::uint64_t constant_expression(const char* what, bool& is_signed);
    std::uint64_t truncated(std::uint64_t value, Type type) const;

    Tree& tree_;
    Types& types_;
    translate::Diagnostics& diagnostics_;
    const Options& options_;
    Scopes scopes_;
    std::uint32_t next_ = 0;
    FunctionId function_ = 0;
    Type result_; ///< The result type of the current function.
    unsigned loops_ = 0, switches_ = 0;
    std::size_t nesting_ = 0;
    std::vector<Type> switch_types_;
    std::vector<std::vector<std::int64_t>> cases_;
    std::vector<bool> defaults_;
    std::unordered_set<FunctionId> called_; ///< By the present function.
    std::unordered_set<std::string_view> labels_;
    std::vector<std::pair<std::string_view, std::uint32_t>> gotos_;
    std::map<std::string_view, std::string_view>
        other_labels_; ///< And the label before it, of one statement.
    std::vector<std::uint64_t> pack_stack_;
    std::uint64_t pack_ = 0;
    std::optional<std::uint32_t> unroll_;            ///< The count of a pragma, for the next loop.
    std::vector<std::vector<FunctionId>> overloads_; ///< Functions with the same name.
};

/// A scope of names during its lifetime.
class Parser::Scope {
public:
    explicit Scope(Scopes& scopes) : scopes_(scopes), depth_(scopes.depth()) { scopes_.open(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
        while (scopes_.depth() > depth_) {
            scopes_.close();
        }
    }

private:
    Scopes& scopes_;
    std::uint32_t depth_;
};

/// Counts the nesting depth during its lifetime. Exceeding the limit is an error.
class Parser::Nesting {
public:
    explicit Nesting(Parser& parser) : parser_(parser) {
        if (++parser_.nesting_ > limit) {
            --parser_.nesting_;
            parser_.error(parser_.at(), "the text nests more than " + std::to_string(limit) + " levels deep");
            throw TooMany{};
        }
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.nesting_; }
    static constexpr std::size_t limit = 1000;

private:
    Parser& parser_;
};

} // namespace ferry::opencl_c
