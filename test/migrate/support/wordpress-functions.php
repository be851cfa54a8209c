<?php
// The functions of WordPress that the examples call, over the streams of PHP, as its HTTP API answers them.
class WP_Error
{
    public function __construct(private string $message)
    {
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

function is_wp_error($thing): bool
{
    return $thing instanceof WP_Error;
}

function wp_json_encode($data)
{
    return json_encode($data);
}

function wp_remote_request(string $url, array $args)
{
    $body = $args['body'] ?? '';
    $headers = $args['headers'] ?? [];
    if (is_array($body)) {
        $body = http_build_query($body);
        $headers += ['Content-Type' => 'application/x-www-form-urlencoded'];
    }
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
    $http = ['method' => $args['method'], 'header' => $lines, 'content' => $body, 'ignore_errors' => true];
    $answer = file_get_contents($url, false, stream_context_create(['http' => $http]));
    return $answer === false ? new WP_Error('nothing came back') : ['body' => $answer];
}

function wp_remote_post(string $url, array $args)
{
    return wp_remote_request($url, ['method' => 'POST'] + $args);
}

function wp_remote_retrieve_body(array $answer): string
{
    return $answer['body'];
}
