%% Plays scenarios on OTP's own supervisor: player:main([In, Out]). In holds one term a scenario,
%% {Number, Flags, Children, Script}; Out gets, for each, a line "== Number Milliseconds" (the time
%% it took beside its sleeps) and its trace. Many are played at once, each in a tree of its own.
-module(player).
-behaviour(supervisor).
-export([main/1, init/1, start_child/3, child/3]).

-define(AT_ONCE, 16).
-define(ASLEEP_AT_ONCE, 400).

main([In, Out]) ->
    logger:set_primary_config(level, none),
    {ok, Scenarios} = file:consult(In),
    {ok, File} = file:open(Out, [write, raw, delayed_write]),
    %% Those that sleep wait side by side; the others take turns, so that they don't wait for each other.
    {Sleepy, Brisk} = lists:partition(fun sleeps/1, Scenarios),
    in_turns(Brisk, ?AT_ONCE, 0, File),
    in_turns(Sleepy, ?ASLEEP_AT_ONCE, 0, File),
    ok = file:close(File),
    halt(0).

sleeps({_, _, _, Script}) ->
    lists:any(fun(Op) -> element(1, Op) =:= sleep end, Script).

in_turns([], _, 0, _) ->
    ok;
in_turns([Scenario | Rest], Max, Playing, File) when Playing < Max ->
    Self = self(),
    spawn(fun() -> Self ! {played, play(Scenario)} end),
    in_turns(Rest, Max, Playing + 1, File);
in_turns(Rest, Max, Playing, File) ->
    receive
        {played, Text} ->
            ok = file:write(File, Text),
            in_turns(Rest, Max, Playing - 1, File)
    end.

play({Number, Flags, Children, Script}) ->
    process_flag(trap_exit, true),
    Table = ets:new(trace, [ordered_set, public]),
    Begun = erlang:monotonic_time(millisecond),
    lists:foreach(fun(Child) -> set_trouble(Table, Child) end, Children),
    case supervisor:start_link(player, {Flags, [spec(Table, C) || C <- Children]}) of
        {ok, Sup} ->
            say(Table, [children(Sup)]),
            _ = lists:foldl(fun(Op, State) -> perform(Op, Table, State) end, {Sup, up}, Script);
        {error, _} ->
            say(Table, ["supervisor_start_failed"])
    end,
    Slept = lists:sum([Ms || {sleep, Ms} <- Script]),
    Took = erlang:monotonic_time(millisecond) - Begun - Slept,
    Lines = [[Line, $\n] || {N, Line} <- ets:tab2list(Table), is_integer(N)],
    [io_lib:format("== ~w ~w~n", [Number, Took]) | Lines].

perform(Op, Table, {Sup, Before}) ->
    say(Table, ["# ", heading(Op)]),
    Dead = carry_out(Op, Table, Sup),
    Children = settled(Sup, Dead),
    After = case is_process_alive(Sup) of true -> up; false -> gone end,
    case {Before, After} of
        {up, gone} -> receive {'EXIT', Sup, Reason} -> say(Table, ["supervisor_exit ", word(Reason)]) end;
        _ -> ok
    end,
    say(Table, [Children]),
    {Sup, After}.

%% The pid that was made to end, or none.
carry_out({exit, Id, Reason}, Table, Sup) ->
    case ask(fun() -> lists:keyfind(Id, 1, supervisor:which_children(Sup)) end) of
        {Id, Pid, _, _} when is_pid(Pid) ->
            Monitor = monitor(process, Pid),
            say(Table, ["exited ", word(Id), " ", case Reason of kill -> "killed"; _ -> word(Reason) end]),
            case Reason of
                kill -> exit(Pid, kill);
                _ -> Pid ! {exit, Reason}
            end,
            receive {'DOWN', Monitor, process, Pid, _} -> Pid end;
        _ ->
            say(Table, ["noop ", word(Id)]),
            none
    end;
carry_out({fail_next, Id, Trouble}, Table, _) ->
    ets:insert(Table, {{trouble, Id}, Trouble}),
    none;
carry_out({start_child, Child}, Table, Sup) ->
    set_trouble(Table, Child),
    answer(Table, ask(fun() -> supervisor:start_child(Sup, spec(Table, Child)) end));
carry_out({terminate_child, Id}, Table, Sup) ->
    answer(Table, ask(fun() -> supervisor:terminate_child(Sup, Id) end));
carry_out({restart_child, Id}, Table, Sup) ->
    answer(Table, ask(fun() -> supervisor:restart_child(Sup, Id) end));
carry_out({delete_child, Id}, Table, Sup) ->
    answer(Table, ask(fun() -> supervisor:delete_child(Sup, Id) end));
carry_out({sleep, Ms}, _, _) ->
    timer:sleep(Ms),
    none;
carry_out({count}, Table, Sup) ->
    say(Table, case ask(fun() -> supervisor:count_children(Sup) end) of
        noproc ->
            ["count -"];
        Counts ->
            Values = [proplists:get_value(Key, Counts) || Key <- [specs, active, workers]],
            io_lib:format("count specs=~w active=~w workers=~w", Values)
    end),
    none;
carry_out({stop}, _, Sup) ->
    Monitor = monitor(process, Sup),
    exit(Sup, shutdown),
    receive {'DOWN', Monitor, process, Sup, _} -> none end.

%% The line about the children once the supervisor knows of the dead one and nothing is being restarted.
settled(Sup, Dead) ->
    case ask(fun() -> supervisor:which_children(Sup) end) of
        noproc ->
            gone(Sup),
            "children -";
        Children ->
            case [x || {_, Pid, _, _} <- Children, Pid =:= restarting orelse Pid =:= Dead] of
                [] -> line(Children);
                _ -> erlang:yield(), settled(Sup, Dead)
            end
    end.

%% A call may be refused a moment before the process is no more.
gone(Sup) ->
    Monitor = monitor(process, Sup),
    receive {'DOWN', Monitor, process, Sup, _} -> ok end.

children(Sup) ->
    line(supervisor:which_children(Sup)).

line(Children) ->
    ["children" | [[" ", word(Id), "=", standing(Pid)] || {Id, Pid, _, _} <- Children]].

standing(Pid) when is_pid(Pid) -> "running";
standing(Word) -> atom_to_list(Word).

ask(Call) ->
    try Call() catch exit:_ -> noproc end.

answer(Table, Result) ->
    say(Table, ["-> ", atom_to_list(answer(Result))]),
    none.

answer(ok) -> ok;
answer({ok, undefined}) -> ok_undefined;
answer({ok, _}) -> ok;
answer(noproc) -> noproc;
answer({error, {already_started, _}}) -> already_started;
answer({error, Word}) when Word =:= already_present; Word =:= running; Word =:= restarting; Word =:= not_found -> Word;
answer({error, told_to}) -> start_failed;
answer({error, {told_to, _}}) -> start_failed;
answer({error, _}) -> refused.

heading({exit, Id, Reason}) -> ["exit ", word(Id), " ", word(Reason)];
heading({start_child, #{id := Id}}) -> ["start_child ", word(Id)];
heading({sleep, Ms}) -> io_lib:format("sleep ~w", [Ms]);
heading({fail_next, Id, Trouble}) -> io_lib:format("fail_next ~s ~w", [word(Id), Trouble]);
heading({Name, Id}) -> [word(Name), " ", word(Id)];
heading({Name}) -> word(Name).

word({shutdown, Detail}) -> ["shutdown:", word(Detail)];
word(Atom) when is_atom(Atom) -> atom_to_list(Atom).

%% Every line has a number of its own, and they rise in the order of what happened, whoever says it.
say(Table, Line) ->
    true = ets:insert(Table, {erlang:unique_integer([monotonic]), Line}).

set_trouble(Table, #{id := Id, fail_starts := Trouble}) ->
    true = ets:insert(Table, {{trouble, Id}, Trouble}).

init({Flags, Specs}) ->
    {ok, {Flags, Specs}}.

spec(Table, #{id := Id, stubborn := Stubborn} = Child) ->
    Spec = maps:with([id, restart, shutdown, significant], Child),
    Spec#{start => {player, start_child, [Table, Id, Stubborn]}}.

%% Runs inside the supervisor.
start_child(Table, Id, Stubborn) ->
    case ets:lookup_element(Table, {trouble, Id}, 2) of
        ignore ->
            ets:insert(Table, {{trouble, Id}, 0}),
            say(Table, ["ignored ", word(Id)]),
            ignore;
        0 ->
            {ok, Pid} = proc_lib:start_link(player, child, [Table, Id, Stubborn]),
            say(Table, ["started ", word(Id)]),
            {ok, Pid};
        Failures ->
            ets:insert(Table, {{trouble, Id}, Failures - 1}),
            say(Table, ["start_failed ", word(Id)]),
            {error, told_to}
    end.

child(Table, Id, Stubborn) ->
    process_flag(trap_exit, true),
    proc_lib:init_ack({ok, self()}),
    obey(Table, Id, Stubborn).

obey(Table, Id, Stubborn) ->
    receive
        {exit, Reason} ->
            exit(Reason);
        {'EXIT', _, shutdown} when not Stubborn ->
            say(Table, ["stopped ", word(Id), " shutdown"]),
            exit(shutdown);
        _ ->
            obey(Table, Id, Stubborn)
    end.
