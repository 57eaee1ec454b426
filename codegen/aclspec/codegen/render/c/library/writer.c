/* Writes texts and values into a caller's buffer. English gets a capital at its beginning, Chinese its spaces; both are
 * made while writing, so that no sentence has to be held in memory. */
#include "aclspec_evaluator.h"
#include <stdio.h>
#include <stdlib.h>

void aclspec_put_raw(writer *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length; ++at, ++out->length)
        if (out->length + 1 < out->size)
            out->buffer[out->length] = bytes[at];
}

/* --- English --- */

enum { BEFORE_WORD, IN_WORD, BEHIND_WORD };

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static bool is_name(const writer *out)
{
    const operator_row *op = out->call->op;
    for (int param = 0; param < op->param_count; ++param) {
        const char *name = STRING(aclspec_params[op->first_param + param].name);
        if (strlen(name) == (size_t)out->word_length && memcmp(name, out->word, (size_t)out->word_length) == 0)
            return true;
    }
    return false;
}

/* The first word, with a capital unless it is the name of a parameter. */
static void end_word(writer *out)
{
    if (out->word_length > 0 && !is_name(out) && out->word[0] >= 'a' && out->word[0] <= 'z')
        out->word[0] = (char)(out->word[0] - 'a' + 'A');
    aclspec_put_raw(out, out->word, (size_t)out->word_length);
    out->state = BEHIND_WORD;
}

static void put_english(writer *out, const char *bytes, size_t length)
{
    size_t at = 0;
    for (; at < length && out->state != BEHIND_WORD; ++at) {
        if (is_word(bytes[at]) && out->word_length < (int)sizeof out->word) {
            out->state = IN_WORD;
            out->word[out->word_length++] = bytes[at];
        } else if (out->state == IN_WORD || bytes[at] != '(') {
            end_word(out);
            break;
        } else
            aclspec_put_raw(out, bytes + at, 1);
    }
    aclspec_put_raw(out, bytes + at, length - at);
}

/* --- Chinese --- */

/* The next character, and how many bytes it has. */
static uint32_t character(const char *text, size_t left, size_t *bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    if (left > 2 && at[0] >= 0xe0 && at[0] < 0xf0 && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80) {
        *bytes = 3;
        return (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3fu);
    }
    *bytes = 1;
    return at[0];
}

static bool is_chinese(uint32_t c) { return c >= 0x4e00 && c <= 0x9fff; }
static bool is_letter(uint32_t c) { return c < 128 && c != '_' && is_word((char)c); }
static bool opens(uint32_t c) { return is_letter(c) || c == '(' || c == '[' || c == '"' || c == '-'; }
static bool closes(uint32_t c) { return is_letter(c) || c == ')' || c == ']' || c == '"'; }
static bool is_punctuation(uint32_t c)
{
    static const uint32_t marks[] = {0xff0c, 0xff1b, 0xff1a, 0x3001, 0x3002, 0xff08, 0xff09};
    for (size_t index = 0; index < sizeof marks / sizeof *marks; ++index)
        if (marks[index] == c)
            return true;
    return false;
}

static void put_spaces(writer *out)
{
    for (; out->spaces > 0; --out->spaces)
        aclspec_put_raw(out, " ", 1);
}

/* One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation. */
static void put_chinese(writer *out, const char *text, size_t length)
{
    size_t bytes;
    for (size_t at = 0; at < length; at += bytes) {
        const uint32_t c = character(text + at, length - at, &bytes), before = out->before;
        if (c == ' ') {
            ++out->spaces;
            continue;
        }
        if (out->spaces == 0 && before && ((is_chinese(before) && opens(c)) || (closes(before) && is_chinese(c))))
            out->spaces = 1;
        else if (is_punctuation(before) || is_punctuation(c))
            out->spaces = 0;
        else if ((is_chinese(before) || before == 0x201d) && (is_chinese(c) || c == 0x201c))
            out->spaces = 0;
        put_spaces(out);
        aclspec_put_raw(out, text + at, bytes);
        out->before = c;
    }
}

/* --- Trials --- */

static void put_trial(writer *out, const char *bytes, size_t length)
{
    trial *found = out->trial;
    for (size_t at = 0; at < length; ++at) {
        if (found->length < sizeof found->head)
            found->head[found->length] = bytes[at];
        ++found->length;
        found->last = bytes[at];
        found->has_space = found->has_space || bytes[at] == ' ';
    }
}

void aclspec_put_bytes(writer *out, const char *bytes, size_t length)
{
    if (out->trial != NULL)
        put_trial(out, bytes, length);
    else if (out->language == ACLSPEC_EN)
        put_english(out, bytes, length);
    else
        put_chinese(out, bytes, length);
}

void aclspec_put(writer *out, const char *text) { aclspec_put_bytes(out, text, strlen(text)); }

void aclspec_finish(writer *out)
{
    if (out->state == IN_WORD)
        end_word(out);
    if (!is_punctuation(out->before))
        put_spaces(out);
}

/* --- Values --- */

void aclspec_put_integer(writer *out, wide number)
{
    char digits[41];
    size_t place = sizeof digits;
    unsigned __int128 rest = number < 0 ? -(unsigned __int128)number : (unsigned __int128)number;
    do {
        digits[--place] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    if (number < 0)
        digits[--place] = '-';
    aclspec_put_bytes(out, digits + place, sizeof digits - place);
}

/* A double as Python shows it: the fewest digits that mean it. */
static void put_real(writer *out, double number)
{
    char text[40], digits[20];
    int count = 0;
    if (number != number || number - number != 0) {
        aclspec_put(out, number != number ? "nan" : number > 0 ? "inf" : "-inf");
        return;
    }
    for (int precision = 0; precision < 17; ++precision) {
        snprintf(text, sizeof text, "%.*e", precision, number);
        if (strtod(text, NULL) == number)
            break;
    }
    for (const char *at = text; *at != 'e'; ++at)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    const int exponent = atoi(strchr(text, 'e') + 1);
    while (count > 1 && digits[count - 1] == '0')
        --count;
    if (text[0] == '-')
        aclspec_put(out, "-");
    if (exponent < -4 || exponent >= 16) {
        aclspec_put_bytes(out, digits, 1);
        if (count > 1) {
            aclspec_put(out, ".");
            aclspec_put_bytes(out, digits + 1, (size_t)count - 1);
        }
        snprintf(text, sizeof text, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        aclspec_put(out, text);
        return;
    }
    if (exponent < 0)
        aclspec_put(out, "0");
    for (int place = 0; place <= exponent; ++place)
        aclspec_put_bytes(out, place < count ? digits + place : "0", 1);
    aclspec_put(out, ".");
    for (int place = exponent + 1; place < 0; ++place)
        aclspec_put(out, "0");
    const int first = exponent < 0 ? 0 : exponent + 1;
    if (first < count)
        aclspec_put_bytes(out, digits + first, (size_t)(count - first));
    else
        aclspec_put(out, "0");
}

static void put_named(writer *out, const char *name, wide number)
{
    if (name != NULL)
        aclspec_put(out, name);
    else
        aclspec_put_integer(out, number);
}

void aclspec_put_dtype(writer *out, int dtype) { put_named(out, aclspec_dtype_name(dtype), dtype); }

/* A list as a tuple, of a long one the first elements; an only number has a comma behind it. */
static void put_list(writer *out, const value *list)
{
    const int64_t length = list->as.list.length;
    value one = {.kind = INT};
    aclspec_put(out, "(");
    for (int64_t index = 0; index < length; ++index) {
        aclspec_put(out, index > 0 ? ", " : "");
        if (index == SHOWN_ELEMENTS) {
            aclspec_put_more(out, length - SHOWN_ELEMENTS);
            break;
        }
        aclspec_item(out->call, list, index, &one);
        aclspec_put_value(out, &one);
    }
    const bool is_number = one.kind == BOOL || one.kind == INT || one.kind == REAL;
    aclspec_put(out, length == 1 && is_number ? ",)" : ")");
}

void aclspec_put_value(writer *out, const value *shown)
{
    switch (shown->kind) {
    case BOOL:
        aclspec_put(out, shown->as.integer ? "true" : "false");
        break;
    case DTYPE:
        aclspec_put_dtype(out, (int)shown->as.integer);
        break;
    case FORMAT:
        put_named(out, aclspec_format_name((int)shown->as.integer), shown->as.integer);
        break;
    case REAL:
        put_real(out, shown->as.real);
        break;
    case TEXT:
        aclspec_put(out, shown->as.text);
        break;
    case LIST:
        put_list(out, shown);
        break;
    default:
        aclspec_put_integer(out, shown->as.integer);
    }
}
