#include "amity/cli/local/pmi1_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace amity::cli {
namespace {

// What a rank is told, by one line that it says.
std::string asked(pmi1_server& s, int rank, const std::string& line) {
  std::string all;
  for (const pmi1_server::answer& a : s.take(rank, line + "\n")) all += std::to_string(a.rank) + "<" + a.text;
  return all;
}

TEST(Pmi1Server, GivesWhatOthersHavePutAfterTheBarrier) {
  pmi1_server s(2, "job");
  EXPECT_EQ(asked(s, 0, "cmd=init pmi_version=1 pmi_subversion=1"),
            "0<cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(asked(s, 0, "cmd=get_my_kvsname"), "0<cmd=my_kvsname kvsname=job rc=0\n");
  EXPECT_EQ(asked(s, 0, "cmd=put kvsname=job key=a value=x y=z"), "0<cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(asked(s, 1, "cmd=barrier_in"), "");
  EXPECT_EQ(asked(s, 0, "cmd=barrier_in"), "0<cmd=barrier_out\n1<cmd=barrier_out\n");
  EXPECT_EQ(asked(s, 1, "cmd=get kvsname=job key=a"), "1<cmd=get_result rc=0 msg=success value=x y=z\n");
}

TEST(Pmi1Server, TakesLinesInPieces) {
  pmi1_server s(1, "job");
  EXPECT_TRUE(s.take(0, "cmd=get_app").empty());
  auto const both = s.take(0, "num\ncmd=get_universe_size\ncm");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].text, "cmd=appnum appnum=0 rc=0\n");
  EXPECT_EQ(both[1].text, "cmd=universe_size size=1 rc=0\n");
}

TEST(Pmi1Server, RefusesInWords) {
  pmi1_server s(2, "job");
  EXPECT_NE(asked(s, 0, "cmd=put kvsname=other key=a value=x").find("rc=-1 msg=no_such_key_space"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=put kvsname=job key=" + std::string(65, 'k') + " value=x").find("rc=-1"),
            std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=put kvsname=job key=k value=" + std::string(1025, 'v')).find("rc=-1"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=put kvsname=job key=k value=" + std::string(1024, 'v')).find("rc=0"), std::string::npos);
  EXPECT_NE(asked(s, 1, "cmd=put kvsname=job key=k value=v").find("rc=-1 msg=the_key_is_taken"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=get kvsname=job key=none").find("rc=-1 msg=key_not_found"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=init pmi_version=2 pmi_subversion=0").find("rc=-1"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=something").find("rc=-1"), std::string::npos);
}

TEST(Pmi1Server, RefusesToSpawn) {
  pmi1_server s(1, "job");
  EXPECT_EQ(asked(s, 0, "mcmd=spawn"), "");
  EXPECT_EQ(asked(s, 0, "nprocs=2"), "");
  EXPECT_EQ(asked(s, 0, "execname=cmd=abort"), "");
  EXPECT_NE(asked(s, 0, "endcmd").find("0<cmd=spawn_result rc=-1"), std::string::npos);
  EXPECT_FALSE(s.aborted());
  EXPECT_EQ(asked(s, 0, "cmd=get_appnum"), "0<cmd=appnum appnum=0 rc=0\n");
}

TEST(Pmi1Server, ABarrierThatOneCantReachIsRefusedToTheOthers) {
  for (bool const by_finalize : {true, false}) {
    pmi1_server s(3, "job");
    EXPECT_EQ(asked(s, 0, "cmd=barrier_in"), "");
    std::string told;
    if (by_finalize) {
      told = asked(s, 2, "cmd=finalize");
    } else {
      for (const auto& a : s.end(2)) told += std::to_string(a.rank) + "<" + a.text;
    }
    EXPECT_NE(told.find("0<cmd=barrier_out rc=-1 msg=rank 2 has ended"), std::string::npos) << told;
    EXPECT_NE(asked(s, 1, "cmd=barrier_in").find("1<cmd=barrier_out rc=-1"), std::string::npos);
  }
}

TEST(Pmi1Server, TellsWhoEndsInTheMidst) {
  pmi1_server s(2, "job");
  EXPECT_FALSE(s.is_in_the_midst(0));
  static_cast<void>(asked(s, 0, "cmd=init pmi_version=1 pmi_subversion=1"));
  EXPECT_TRUE(s.is_in_the_midst(0));
  static_cast<void>(asked(s, 0, "cmd=finalize"));
  EXPECT_FALSE(s.is_in_the_midst(0));
  EXPECT_TRUE(s.has_finalized(0));
}

TEST(Pmi1Server, KeepsTheFirstAbort) {
  pmi1_server s(2, "job");
  static_cast<void>(asked(s, 1, "cmd=abort exitcode=7"));
  static_cast<void>(asked(s, 0, "cmd=abort exitcode=8"));
  ASSERT_TRUE(s.aborted());
  EXPECT_EQ(s.aborted()->rank, 1);
  EXPECT_EQ(s.aborted()->status, 7);
}

TEST(Pmi1Server, PublishesNames) {
  pmi1_server s(2, "job");
  EXPECT_NE(asked(s, 0, "cmd=lookup_name service=x").find("rc=-1"), std::string::npos);
  EXPECT_NE(asked(s, 1, "cmd=publish_name service=x port=tag#0$description#here $").find("rc=0"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=publish_name service=x port=p").find("rc=-1"), std::string::npos);
  EXPECT_NE(asked(s, 0, "cmd=lookup_name service=x").find("port=tag#0$description#here $\n"), std::string::npos);
  EXPECT_NE(asked(s, 1, "cmd=unpublish_name service=x").find("rc=0"), std::string::npos);
}

// Whatever comes, it neither fails nor keeps all of it.
TEST(Pmi1Server, StandsNonsense) {
  pmi1_server s(2, "job");
  std::string const much(3 * pmi1_server::most_of_line, 'x');
  EXPECT_TRUE(s.take(0, much).empty());
  EXPECT_TRUE(s.take(0, std::string("\0\xff\n=\ncmd=\n", 10)).empty());
  EXPECT_EQ(asked(s, 0, "cmd=get_appnum"), "0<cmd=appnum appnum=0 rc=0\n");
}

}  // namespace
}  // namespace amity::cli
