// SPDX-License-Identifier: ISC
//
// The one main of all test programs, with a reporter that prints one TAP line per test case (the TAP reporter
// of Catch2 counts assertions). Signal handling is off: the library under test must see the process as a host
// has it.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <string>

namespace {

class TapCases : public Catch::StreamingReporterBase<TapCases> {
public:
    explicit TapCases(const Catch::ReporterConfig& config) : StreamingReporterBase(config) {}

    static std::string getDescription() { return "One TAP line per test case"; }

    void assertionStarting(const Catch::AssertionInfo&) override {}

    // Failures come before their case's line, as TAP diagnostics.
    bool assertionEnded(const Catch::AssertionStats& stats) override {
        const Catch::AssertionResult& result = stats.assertionResult;
        if (result.isOk()) return true;
        stream << "# " << result.getSourceInfo() << ": ";
        if (result.hasExpression()) stream << result.getExpressionInMacro();
        if (result.hasExpandedExpression()) stream << " with " << one_line(result.getExpandedExpression());
        if (result.hasMessage()) stream << one_line(result.getMessage());
        for (const Catch::MessageInfo& info : stats.infoMessages)
            stream << " [" << one_line(info.message) << "]";
        stream << "\n";
        return true;
    }

    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        ++count_;
        const bool passed = stats.totals.testCases.failed == 0;
        stream << (passed ? "ok " : "not ok ") << count_ << " - " << tap_safe(stats.testInfo.name)
               << std::endl;
        StreamingReporterBase::testCaseEnded(stats);
    }

    void testRunEnded(const Catch::TestRunStats& stats) override {
        stream << "1.." << count_ << std::endl;
        StreamingReporterBase::testRunEnded(stats);
    }

private:
    static std::string one_line(std::string text) {
        for (char& c : text)
            if (c == '\n') c = ' ';
        return text;
    }

    // '#' starts a directive in TAP.
    static std::string tap_safe(std::string name) {
        for (char& c : name)
            if (c == '#') c = '=';
        return name;
    }

    unsigned count_ = 0;
};

CATCH_REGISTER_REPORTER("tapcases", TapCases)

} // namespace
