%% SPDX-License-Identifier: ISC
%% `spawn` on Erlang: each process adds its number by telling its parent, then ends.
-module(xtc_peer).
-export([main/1]).

main(["spawn", Variant, WorkText]) ->
    Work = list_to_integer(WorkText),
    AtATime = case Variant of "one" -> 1; _ -> 10000 end,
    _ = live(Work div 10 + AtATime, AtATime, 0, 0),
    Start = erlang:monotonic_time(nanosecond),
    {Ran, Sum} = live(Work, AtATime, 0, 0),
    Took = erlang:monotonic_time(nanosecond) - Start,
    io:format("{\"name\":\"spawn\",\"side\":\"erlang\",\"variant\":\"~s\",\"value\":~.3f,\"unit\":\"ns\","
              "\"work\":~b,\"checksum\":\"~b\",\"also\":{}}~n", [Variant, Took / Ran, Ran, Sum]),
    halt(0, [{flush, true}]).

live(Work, _, Ran, Sum) when Ran =:= Work -> {Ran, Sum};
live(Work, AtATime, Ran, Sum) ->
    N = min(AtATime, Work - Ran),
    Parent = self(),
    start(Parent, Ran, Ran + N),
    live(Work, AtATime, Ran + N, gather(N, Sum)).

start(_, To, To) -> ok;
start(Parent, I, To) ->
    spawn(fun() -> Parent ! I end),
    start(Parent, I + 1, To).

gather(0, Sum) -> Sum;
gather(N, Sum) -> receive I -> gather(N - 1, Sum + I) end.
