# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_krewind_global_optspecs
    string join \n profile= b/bootstrap-server= F/command-config= X= timeout= read-only tz= o/output= q/quiet v/verbose color= no-progress h/help V/version
end

function __fish_krewind_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_krewind_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_krewind_using_subcommand
    set -l cmd (__fish_krewind_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c krewind -n "__fish_krewind_needs_command" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_needs_command" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_needs_command" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_needs_command" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_needs_command" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_needs_command" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_needs_command" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_needs_command" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_needs_command" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_needs_command" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_needs_command" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_needs_command" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_needs_command" -s V -l version -d 'Print version'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "list" -d 'List the groups of the cluster'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "describe" -d 'Show where consumer groups stand: committed offset, log end and lag of each partition'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "peek" -d 'Show the records around each committed offset of a group'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "diff" -d 'Compare two snapshots, or a snapshot with the groups as they stand now'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "reset" -d 'Move a group\'s committed offsets: plan, show, ask, write, read back'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "delete" -d 'Delete a group with all of its commits: plan, show, ask, delete, read back'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "delete-offsets" -d 'Remove a group\'s committed offsets on some topics: plan, show, ask, remove, read back'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "apply" -d 'Write a plan that `reset --plan` saved, if it still holds'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "undo" -d 'Put back what a write replaced, or list the writes that the journal keeps'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "window" -d 'Resolve a window of topics and print it, also as Spark reads it; nothing is read'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "replay" -d 'Read a window of topics into a sink, beside production; it stops by itself'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "load" -d 'Produce again what a replay wrote to a file: check, show, ask, produce'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "lab" -d 'The commit-and-crash lab: see why resets and replays lose or repeat; it touches no cluster by itself'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "config" -d 'Show, find or check the configuration'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c krewind -n "__fish_krewind_needs_command" -f -a "man" -d 'Print the man page'
complete -c krewind -n "__fish_krewind_using_subcommand list" -l matching -d 'Groups whose name matches, `*` and `?` as in a shell; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -l state -d 'Only groups in this state, as Kafka writes it; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -l type -d 'Only groups of this type; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand list" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand list" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand list" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand list" -l lag -d 'Members, topics and lag too'
complete -c krewind -n "__fish_krewind_using_subcommand list" -l lagging -d 'Only groups that have something left to read, or of which that is not known'
complete -c krewind -n "__fish_krewind_using_subcommand list" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand list" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand list" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand list" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l group -d 'The same; as Kafka\'s own tools name it' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l matching -d 'Groups whose name matches, `*` and `?` as in a shell; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l topic -d 'Only this topic, or some of its partitions, also where the group has no commit; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l watch -d 'Look again every so often, and show rates; `q` ends it' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l fail-if-lag-over -d 'Exit with 4 where a group\'s total lag is larger' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l fail-if-time-lag-over -d 'Exit with 4 where an unread record is older; asks for --time-lag' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l save -d 'Keep the report in a file, for `diff`' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l all-groups -d 'Every group of the cluster'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l members -d 'The members of each group and what they read, in place of the partitions'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l state -d 'A line per group: state, coordinator and sums, in place of the partitions'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l time-lag -d 'How old the oldest unread record is, read from the log itself'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand describe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l group -d 'The same; as Kafka\'s own tools name it' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l matching -d 'Groups whose name matches, `*` and `?` as in a shell; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l topic -d 'Only this topic, or some of its partitions; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l before -d 'How many records in front of the commit' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l after -d 'How many records from the commit on' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l all-groups -d 'Every group of the cluster'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand peek" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l exit-code -d 'Exit with 4 where a commit moved, came, went, or its topic was made anew'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l all -d 'Show what is the same, too'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l group -d 'The same, as Kafka\'s own tools name it; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l matching -d 'The groups whose name matches: *, ? and [a-z]; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l topic -d 'A topic, or some of its partitions: orders, orders:0,3-5; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-offset -d 'To this offset' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-timestamp -l to-datetime -d 'To the first record at or after this time: 2026-12-01T10:00:00Z, 14:05, 30m (ago), epoch seconds or milliseconds' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l by-duration -d 'To the first record at or after that long ago: 2h, 1d12h, PT2H' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l shift-by -d 'This many offsets on from each commit; negative: back' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-group -d 'Where another group stands, its metadata included' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l from-file -d 'Where a file says: Kafka\'s CSV (topic,partition,offset), a snapshot of `describe --save`, a report of a reset' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l out-of-range -d 'What to do with an offset outside the log' -r -f -a "fail\t'Refuse'
clamp\t'Take the nearest offset within the log'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l no-record -d 'What to do where no record is at or after the time' -r -f -a "latest\t'Stand at the end'
skip\t'Leave the partition'
fail\t'Refuse'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l no-commit -d 'What --shift-by and --to-current do with a partition without a commit' -r -f -a "skip\t'Leave it without one'
use-earliest\t'Stand at the log start'
use-latest\t'Stand at the end'
fail\t'Refuse'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l skip-unread -d 'Under --yes, what to do with partitions that would move forward past unread records' -r -f -a "allow\t'Move them'
keep\t'Leave them where they are'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l plan -d 'Save the plan to a new file instead of writing it, for review and `krewind apply`' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l confirm -d 'What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l wait-empty -d 'Wait this long for the group\'s members to leave [5m where no span is given]; then plan anew, ask and write' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l all-topics -d 'Every partition of every topic that the group has a commit on, those added later included'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-earliest -d 'To the oldest record that is kept'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-latest -d 'To the end: the next record is the first one'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l to-current -d 'Where each commit stands'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l create-group -d 'Make the group where it does not exist'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l dry-run -d 'Show the plan and write nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s y -l yes -l execute -d 'Write without asking'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l keep-going -d 'With several groups: go on to the next one after a failure or refusal'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l no-journal -d 'Write though what is replaced can\'t be kept for `undo`'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l group -d 'The same, as Kafka\'s own tools name it; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l matching -d 'The groups whose name matches: *, ? and [a-z]; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l confirm -d 'What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l dry-run -d 'Show the plan and write nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s y -l yes -l execute -d 'Write without asking'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l keep-going -d 'With several groups: go on to the next one after a failure or refusal'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l no-journal -d 'Write though what is replaced can\'t be kept for `undo`'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l group -d 'The same, as Kafka\'s own tools name it; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l matching -d 'The groups whose name matches: *, ? and [a-z]; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l topic -d 'A topic, or some of its partitions: orders, orders:0,3-5; repeatable' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l confirm -d 'What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l dry-run -d 'Show the plan and write nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s y -l yes -l execute -d 'Write without asking'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l keep-going -d 'With several groups: go on to the next one after a failure or refusal'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l no-journal -d 'Write though what is replaced can\'t be kept for `undo`'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand delete-offsets" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l skip-unread -d 'What to do with partitions that would move forward past unread records, after their commits moved' -r -f -a "allow\t'Move them'
keep\t'Leave them where they are'"
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l confirm -d 'What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l wait-empty -d 'Wait this long for the group\'s members to leave [5m where no span is given]; then plan anew, ask and write' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l allow-moved-commits -d 'Accept commits that moved since the plan was made; its targets must not have been counted from them'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l dry-run -d 'Show the plan and write nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s y -l yes -l execute -d 'Write without asking'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l keep-going -d 'With several groups: go on to the next one after a failure or refusal'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l no-journal -d 'Write though what is replaced can\'t be kept for `undo`'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l id -d 'The write to take back, with all of its groups' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l journal -d 'A journal file of the write to take back, from another machine' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l moved -d 'What to do with commits that moved since the write' -r -f -a "keep\t'Leave them where they are now'
overwrite\t'Put back what the write replaced, all the same'"
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l out-of-range -d 'What to do where the place before lies outside the log now' -r -f -a "fail\t'Refuse'
clamp\t'Take the nearest offset within the log'"
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l confirm -d 'What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l list -d 'List the writes that the journal keeps, the newest first; with GROUP, its own'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l dry-run -d 'Show the plan and write nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s y -l yes -l execute -d 'Write without asking'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l keep-going -d 'With several groups: go on to the next one after a failure or refusal'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l no-journal -d 'Write though what is replaced can\'t be kept for `undo`'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand window" -l topic -d 'The same; as Kafka\'s own tools name it' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l from -d 'Start at the first record of this time or later, or at `earliest`' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l to -d 'End before the first record of this time or later; without it at the log\'s end when the run begins (`latest`)' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l start-offset -d 'Start at this offset of each partition' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l end-offset -d 'End before this offset of each partition' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l from-group -d 'Start where this group\'s commits stand; without topics on all that it has commits on' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l last -d 'Start this many offsets before the end of each partition; records may be fewer, since compacted and transactional logs have offsets without one' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l window-file -d 'Each partition\'s own window from this file, `topic,partition,start_offset,end_offset` as `krewind window -o csv` writes it; topics need not be named then' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand window" -l window -d 'What bounds by time mean' -r -f -a "offsets\t'Offsets that are looked up once: everything between them, whatever its timestamp'
timestamps\t'Exactly the records whose own timestamp lies between the bounds, out of order too'"
complete -c krewind -n "__fish_krewind_using_subcommand window" -l padding -d 'With `--window timestamps`, how far past the end records are looked for that came late [default: 1h]' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l out-of-range -d 'What to do with an offset or a commit that lies outside a partition\'s log' -r -f -a "fail\t'Refuse'
clamp\t'Take the nearest offset within it'"
complete -c krewind -n "__fish_krewind_using_subcommand window" -l no-commit -d 'With `--from-group`, what to do in a partition that the group has no commit on [default: fail]' -r -f -a "fail\t'Refuse'
skip\t'Read nothing there'
use-earliest\t'Start at the log start'
use-latest\t'Start at the end'"
complete -c krewind -n "__fish_krewind_using_subcommand window" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand window" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand window" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand window" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand window" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand window" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand window" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand window" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand window" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l topic -d 'The same; as Kafka\'s own tools name it' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l from -d 'Start at the first record of this time or later, or at `earliest`' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l to -d 'End before the first record of this time or later; without it at the log\'s end when the run begins (`latest`)' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l start-offset -d 'Start at this offset of each partition' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l end-offset -d 'End before this offset of each partition' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l from-group -d 'Start where this group\'s commits stand; without topics on all that it has commits on' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l last -d 'Start this many offsets before the end of each partition; records may be fewer, since compacted and transactional logs have offsets without one' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l window-file -d 'Each partition\'s own window from this file, `topic,partition,start_offset,end_offset` as `krewind window -o csv` writes it; topics need not be named then' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l window -d 'What bounds by time mean' -r -f -a "offsets\t'Offsets that are looked up once: everything between them, whatever its timestamp'
timestamps\t'Exactly the records whose own timestamp lies between the bounds, out of order too'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l padding -d 'With `--window timestamps`, how far past the end records are looked for that came late [default: 1h]' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l out-of-range -d 'What to do with an offset or a commit that lies outside a partition\'s log' -r -f -a "fail\t'Refuse'
clamp\t'Take the nearest offset within it'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l no-commit -d 'With `--from-group`, what to do in a partition that the group has no commit on [default: fail]' -r -f -a "fail\t'Refuse'
skip\t'Read nothing there'
use-earliest\t'Start at the log start'
use-latest\t'Start at the end'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l into -d 'Where the records go: a file ending in `.jsonl`, `.csv` (also `.gz`, `.zst`), `.parquet`, `.sqlite` or `.db`, `-` for standard output, `kafka:TOPIC`, `kafka://HOST:PORT/TOPIC`, `postgres://…`, or `null`' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l into-format -d 'The form of the file, where its name does not tell' -r -f -a "jsonl\t'One JSON object a line'
csv\t'Comma-separated values'
parquet\t'Parquet'
sqlite\t'An SQLite database'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l if-exists -d 'What to do where the target exists: files fail and a table that krewind made takes what it does not have, unless told' -r -f -a "fail\t'Read nothing'
replace\t'Take its place once the result is whole'
append\t'Add to it'
upsert\t'Add to a table what it does not have yet, by topic, partition and offset'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l table -d 'The table of a database, `records` in SQLite unless told' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l into-command-config -d 'Properties of the cluster that `kafka://HOST:PORT/TOPIC` names' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l key-format -d 'How keys are written' -r -f -a "string\t'Text; what is not UTF-8 ends the run'
bytes\t'Bytes: base64 in text, the database\'s own type in tables'
json\t'JSON as it is; what is not JSON ends the run'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l value-format -d 'How values are written' -r -f -a "string\t'Text; what is not UTF-8 ends the run'
bytes\t'Bytes: base64 in text, the database\'s own type in tables'
json\t'JSON as it is; what is not JSON ends the run'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l into-partitioner -d 'Which partition records go to: the one of the same number, or the one that Java\'s producer chooses for the key' -r -f -a "keep\t'The one of the same number'
murmur2\t'The one that Java\'s producer chooses for the key; a record without a key goes to any'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l confirm -d 'What a person would type, beside --yes: TOPIC, with a profile PROFILE/TOPIC' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l key -d 'Only records with this key, exactly; repeated: one of these' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l header -d 'Only records with this header, also `NAME` with any value; repeated: all of these' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l grep -d 'Only records in whose value this regular expression is found; repeated: all of these' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l where -d 'Only records whose value is JSON of which this holds, as in `/status == "failed"`: a JSON pointer, one of == != < <= > >=, and a JSON value; repeated: all of these. A place that does not exist fulfils nothing' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l max-messages -d 'Stop after this many records' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l max-bytes -d 'Stop before more than this many bytes of keys and values, as in `100MB`' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l rate -d 'Read no faster than this: records a second as in `20k`, or bytes a second as in `50MB`' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l buffer -d 'How much of the keys and values is held in memory at most, on the way from the brokers to the sink' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l isolation-level -d 'Whether records of open and aborted transactions are left out' -r -f -a "read_committed\t'Committed records alone'
read_uncommitted\t'All records'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l wait-stable -d 'How long to wait for a transaction that is open before the window\'s end' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l stall-timeout -d 'Give up when nothing has come for this long' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l checkpoint -d 'Keep in this file how far the run has got: after it was killed, the same command goes on from there, and the sink holds each record once' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l report -d 'Write the report to this new file too, as JSON' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l origin-headers -d 'Add headers that tell each record\'s origin: krewind.source.cluster, .topic, .partition, .offset and .timestamp'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l dry-run -d 'Show what would be produced, and produce nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s y -l yes -l execute -d 'Produce without asking'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand load" -l into -d 'The topic: `kafka:TOPIC`, or `kafka://HOST:PORT/TOPIC` on another cluster' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -l into-command-config -d 'Properties of the cluster that `kafka://HOST:PORT/TOPIC` names' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand load" -l report -d 'Write the report to this new file too, as JSON' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand load" -l into-partitioner -d 'Which partition records go to: the one of the same number, or the one that Java\'s producer chooses for the key' -r -f -a "keep\t'The one of the same number'
murmur2\t'The one that Java\'s producer chooses for the key; a record without a key goes to any'"
complete -c krewind -n "__fish_krewind_using_subcommand load" -l confirm -d 'What a person would type, beside --yes: TOPIC, with a profile PROFILE/TOPIC' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand load" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand load" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand load" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand load" -l into-source-topic -d 'Produce into a topic of the name that the records come from: another cluster\'s, or a second time into the same one'
complete -c krewind -n "__fish_krewind_using_subcommand load" -l origin-headers -d 'Add headers that tell each record\'s origin: krewind.source.cluster, .topic, .partition, .offset and .timestamp'
complete -c krewind -n "__fish_krewind_using_subcommand load" -l dry-run -d 'Show what would be produced, and produce nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand load" -s y -l yes -l execute -d 'Produce without asking'
complete -c krewind -n "__fish_krewind_using_subcommand load" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand load" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand load" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand load" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand load" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l scenario -d 'Walk through one of the lessons' -r -f -a "auto-commit-loss\t'a commit before the work can lose'
manual-duplicates\t'a commit after the work can repeat'
upsert-converges\t'a sink with a key takes repetition without harm'
rewind-rebuild\t'rewinding rebuilds what was lost'
retention-gap\t'rewinding reaches as far as retention'"
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l script -d 'Do these actions, and print what happened' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l commit -d 'Who commits: the client\'s timer before the work is done, or the consumer after it [default: auto]' -r -f -a "auto\t'The client\'s timer, before the work is done'
manual\t'The consumer, after it'"
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l sink -d 'What the sink does with an order that it has: add a row, or replace the one there is [default: append]' -r -f -a "append\t'Add a row'
upsert\t'Replace the row'"
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l batch -d 'Events of one poll, at most [default: 4]' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l live -d 'The scenario on a real cluster, named by -b on the command line: a topic, a group and a file of fresh names, deleted afterwards'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l dry-run -d 'Show what a live run would make, and make nothing, whatever else is given'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s y -l yes -d 'Begin a live run without asking'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand lab" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -f -a "show" -d 'What holds, and where each value comes from; secrets are hidden'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -f -a "path" -d 'Where the configuration file lies, or would'
complete -c krewind -n "__fish_krewind_using_subcommand config; and not __fish_seen_subcommand_from show path check" -f -a "check" -d 'Read a configuration file, and the files that it names; say what is wrong, or ok'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand completions" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c krewind -n "__fish_krewind_using_subcommand man" -l profile -d 'The profile of the configuration file; flags and the environment win over what it says' -r
complete -c krewind -n "__fish_krewind_using_subcommand man" -s b -l bootstrap-server -d 'Brokers to start from; any of them tells the others [profile: bootstrap-servers]' -r
complete -c krewind -n "__fish_krewind_using_subcommand man" -s F -l command-config -d 'Client properties, as Kafka\'s own tools or librdkafka write them [profile: command-config]' -r -F
complete -c krewind -n "__fish_krewind_using_subcommand man" -s X -d 'One librdkafka property; repeatable, wins over the file [profile: properties]' -r
complete -c krewind -n "__fish_krewind_using_subcommand man" -l timeout -d 'The longest that one request may take, with its unit' -r
complete -c krewind -n "__fish_krewind_using_subcommand man" -l tz -d 'The zone in which times without one are read: UTC, local, or Area/City [profile: tz]' -r
complete -c krewind -n "__fish_krewind_using_subcommand man" -s o -l output -d 'The report\'s form' -r -f -a "table\t'A table for people'
wide\t'The same with more columns'
json\t'One JSON object'
csv\t'Comma-separated values'
markdown\t'The table, for a document'
prometheus\t'Prometheus text exposition (describe and list)'
spark\t'The options of Spark\'s Kafka source (window)'"
complete -c krewind -n "__fish_krewind_using_subcommand man" -l color -d 'Colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c krewind -n "__fish_krewind_using_subcommand man" -l read-only -d 'Refuse every write, in the client itself; nothing switches a profile\'s off [profile: read-only]'
complete -c krewind -n "__fish_krewind_using_subcommand man" -s q -l quiet -d 'Leave out notes and progress; warnings, plans and errors stay'
complete -c krewind -n "__fish_krewind_using_subcommand man" -s v -l verbose -d 'Say more: ignored properties, and what librdkafka logs'
complete -c krewind -n "__fish_krewind_using_subcommand man" -l no-progress -d 'No progress bar'
complete -c krewind -n "__fish_krewind_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
