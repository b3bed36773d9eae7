%% How fast OTP's own supervisor restarts a child while its window already holds many restarts:
%% restarts:main([Rounds, Window, ...]) prints a line "Window RestartsPerSecond" for each.
-module(restarts).
-behaviour(supervisor).
-export([main/1, init/1, start_child/1]).

-define(CHUNK, 10).

main([Rounds | Windows]) ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    lists:foreach(fun(Window) -> measure(list_to_integer(Window), list_to_integer(Rounds)) end, Windows),
    halt(0).

measure(Window, Rounds) ->
    {ok, Sup} = supervisor:start_link(restarts, self()),
    First = receive {up, Pid} -> Pid end,
    {_, Warm} = timed(Sup, Window, First),
    Took = chunks(Sup, Window, Warm, Rounds div ?CHUNK, 0),
    io:format("~w ~w~n", [Window, round((Rounds div ?CHUNK) * ?CHUNK * 1.0e9 / Took)]),
    exit(Sup, shutdown),
    receive {'EXIT', Sup, _} -> ok end.

chunks(_, _, _, 0, Took) ->
    Took;
chunks(Sup, Window, Pid, Left, Took) ->
    {Ns, Next} = timed(Sup, Window, Pid),
    chunks(Sup, Window, Next, Left - 1, Took + Ns).

%% A few restarts at a time, so that the window stays as full as it is meant to be.
timed(Sup, Window, Pid) ->
    Now = erlang:monotonic_time(1),
    %% The eighth element of its state holds the restarts inside the window, newest first.
    sys:replace_state(Sup, fun(State) ->
        true = is_list(element(8, State)),
        setelement(8, State, lists:duplicate(Window, Now))
    end),
    Begun = erlang:monotonic_time(nanosecond),
    Next = again(Pid, ?CHUNK),
    {erlang:monotonic_time(nanosecond) - Begun, Next}.

again(Pid, 0) ->
    Pid;
again(Pid, Times) ->
    exit(Pid, kill),
    receive {up, Next} -> again(Next, Times - 1) end.

init(Watcher) ->
    Child = #{id => child, start => {restarts, start_child, [Watcher]}},
    {ok, {#{intensity => 1000000, period => 3600}, [Child]}}.

start_child(Watcher) ->
    Pid = spawn_link(fun() -> receive after infinity -> ok end end),
    Watcher ! {up, Pid},
    {ok, Pid}.
