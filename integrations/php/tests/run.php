<?php

/* Runs the tests of a folder, without a library: php tests/run.php [folder]. The last line is their count. */

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

$failed = 0;
$passed = 0;

/** Runs a test, whose name is a sentence of behaviour. */
function it(string $name, callable $test): void
{
    global $failed, $passed;
    try {
        $test();
        $passed++;
    } catch (Throwable $fault) {
        $failed++;
        echo "FAILED: $name\n  $fault\n";
    }
}

function same(mixed $expected, mixed $found): void
{
    if ($expected !== $found) {
        throw new RuntimeException('expected ' . var_export($expected, true) . ', found ' . var_export($found, true));
    }
}

/** The message of what the work throws, which must be of the class. */
function thrown(string $class, callable $work): Throwable
{
    try {
        $work();
    } catch (Throwable $fault) {
        if ($fault instanceof $class) {
            return $fault;
        }
        throw $fault;
    }
    throw new RuntimeException("expected $class");
}

foreach (glob(($argv[1] ?? __DIR__) . '/*_test.php') ?: [] as $file) {
    require $file;
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
