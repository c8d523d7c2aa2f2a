
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'krewind' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'krewind'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'krewind' {
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the groups of the cluster')
            [CompletionResult]::new('describe', 'describe', [CompletionResultType]::ParameterValue, 'Show where consumer groups stand: committed offset, log end and lag of each partition')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two snapshots, or a snapshot with the groups as they stand now')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Move a group''s committed offsets: plan, show, ask, write, read back')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Read a window of topics into a sink, beside production; it stops by itself')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man page')
            break
        }
        'krewind;list' {
            [CompletionResult]::new('--matching', '--matching', [CompletionResultType]::ParameterName, 'Groups whose name matches, `*` and `?` as in a shell; repeatable')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only groups in this state, as Kafka writes it; repeatable')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only groups of this type; repeatable')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--lag', '--lag', [CompletionResultType]::ParameterName, 'Members, topics and lag too')
            [CompletionResult]::new('--lagging', '--lagging', [CompletionResultType]::ParameterName, 'Only groups that have something left to read, or of which that is not known')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;describe' {
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'The same; as Kafka''s own tools name it')
            [CompletionResult]::new('--matching', '--matching', [CompletionResultType]::ParameterName, 'Groups whose name matches, `*` and `?` as in a shell; repeatable')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'Only this topic, or some of its partitions, also where the group has no commit; repeatable')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Look again every so often, and show rates; `q` ends it')
            [CompletionResult]::new('--fail-if-lag-over', '--fail-if-lag-over', [CompletionResultType]::ParameterName, 'Exit with 4 where a group''s total lag is larger')
            [CompletionResult]::new('--fail-if-time-lag-over', '--fail-if-time-lag-over', [CompletionResultType]::ParameterName, 'Exit with 4 where an unread record is older; asks for --time-lag')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Keep the report in a file, for `diff`')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--all-groups', '--all-groups', [CompletionResultType]::ParameterName, 'Every group of the cluster')
            [CompletionResult]::new('--members', '--members', [CompletionResultType]::ParameterName, 'The members of each group and what they read, in place of the partitions')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'A line per group: state, coordinator and sums, in place of the partitions')
            [CompletionResult]::new('--time-lag', '--time-lag', [CompletionResultType]::ParameterName, 'How old the oldest unread record is, read from the log itself')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;diff' {
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 4 where a commit moved, came, went, or its topic was made anew')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show what is the same, too')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;reset' {
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'The same; as Kafka''s own tools name it')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'A topic, or some of its partitions: orders, orders:0,3-5; repeatable')
            [CompletionResult]::new('--to-offset', '--to-offset', [CompletionResultType]::ParameterName, 'To this offset')
            [CompletionResult]::new('--to-timestamp', '--to-timestamp', [CompletionResultType]::ParameterName, 'To the first record at or after this time: 2026-12-01T10:00:00Z, 14:05, 30m (ago), epoch seconds or milliseconds')
            [CompletionResult]::new('--to-datetime', '--to-datetime', [CompletionResultType]::ParameterName, 'To the first record at or after this time: 2026-12-01T10:00:00Z, 14:05, 30m (ago), epoch seconds or milliseconds')
            [CompletionResult]::new('--out-of-range', '--out-of-range', [CompletionResultType]::ParameterName, 'What to do with an offset outside the log')
            [CompletionResult]::new('--no-record', '--no-record', [CompletionResultType]::ParameterName, 'What to do where no record is at or after the time')
            [CompletionResult]::new('--skip-unread', '--skip-unread', [CompletionResultType]::ParameterName, 'Under --yes, what to do with partitions that would move forward past unread records')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--all-topics', '--all-topics', [CompletionResultType]::ParameterName, 'Every partition of every topic that the group has a commit on')
            [CompletionResult]::new('--to-earliest', '--to-earliest', [CompletionResultType]::ParameterName, 'To the oldest record that is kept')
            [CompletionResult]::new('--to-latest', '--to-latest', [CompletionResultType]::ParameterName, 'To the end: the next record is the first one')
            [CompletionResult]::new('--create-group', '--create-group', [CompletionResultType]::ParameterName, 'Make the group where it does not exist')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show the plan and write nothing, whatever else is given')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Write without asking')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Write without asking')
            [CompletionResult]::new('--execute', '--execute', [CompletionResultType]::ParameterName, 'Write without asking')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;replay' {
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'The same; as Kafka''s own tools name it')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Start at the first record of this time or later, or at `earliest`')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'End before the first record of this time or later; without it at the log''s end when the run begins (`latest`)')
            [CompletionResult]::new('--start-offset', '--start-offset', [CompletionResultType]::ParameterName, 'Start at this offset of each partition')
            [CompletionResult]::new('--end-offset', '--end-offset', [CompletionResultType]::ParameterName, 'End before this offset of each partition')
            [CompletionResult]::new('--into', '--into', [CompletionResultType]::ParameterName, 'Where the records go: a new file whose name ends in `.jsonl`, or `-` for standard output')
            [CompletionResult]::new('--isolation-level', '--isolation-level', [CompletionResultType]::ParameterName, 'Whether records of open and aborted transactions are left out')
            [CompletionResult]::new('--wait-stable', '--wait-stable', [CompletionResultType]::ParameterName, 'How long to wait for a transaction that is open before the window''s end')
            [CompletionResult]::new('--out-of-range', '--out-of-range', [CompletionResultType]::ParameterName, 'What to do with an offset that lies outside a partition''s log')
            [CompletionResult]::new('--stall-timeout', '--stall-timeout', [CompletionResultType]::ParameterName, 'Give up when nothing has come for this long')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this new file too, as JSON')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;completions' {
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'krewind;man' {
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('--bootstrap-server', '--bootstrap-server', [CompletionResultType]::ParameterName, 'Brokers to start from; any of them tells the others')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('--command-config', '--command-config', [CompletionResultType]::ParameterName, 'Client properties, as Kafka''s own tools or librdkafka write them')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'One librdkafka property; repeatable, wins over the file')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'The longest that one request may take, with its unit')
            [CompletionResult]::new('--tz', '--tz', [CompletionResultType]::ParameterName, 'The zone in which times without one are read: UTC, local, or Area/City')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The report''s form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Refuse every write, in the client itself')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Leave out notes and progress; warnings, plans and errors stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: ignored properties, and what librdkafka logs')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress bar')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
