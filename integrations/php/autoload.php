<?php

declare(strict_types=1);

/** Loads the package where there is no Composer. */

spl_autoload_register(static function (string $class): void {
    $prefix = 'PaymentCheckout\\';
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
        require $file;
    }
});
