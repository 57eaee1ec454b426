/* The life of handles: destroyed twice, used after that, executors that run twice or never, workspaces that are too small. */
#include "lives.h"

#include <execinfo.h>
#include <stdlib.h>

static const char *const TWICE = "destroyed-twice";
static const char *const AFTER = "used-after-destroyed";
static const char *const SPENT = "executor-spent";
static const char *const SMALL = "workspace-small";
static const char *const NULL_WORKSPACE = "workspace-null";

static const char *noun(layer_kind kind) {
    static const char *const nouns[LAYER_KINDS] = {"aclTensor",    "aclScalar",     "aclIntArray",   "aclFloatArray",
                                                   "aclBoolArray", "aclTensorList", "aclScalarList", "aclOpExecutor"};
    return nouns[kind];
}

/* Where an object was created, if that was remembered. */
static void add_origin(layer_text *text, const layer_object *object) {
    char **names = object->frame_count > 0 ? backtrace_symbols(object->frames, object->frame_count) : NULL;
    for (int at = 2; names != NULL && at < object->frame_count; at++) { /* after the two of the layer itself */
        layer_add(text, LAYER_TEXT(" - created at %s\n", " - 创建于 %s\n"), names[at]);
    }
    free(names);
}

/* Say a misuse once its sentence is there: where the call comes from, where the handle was created. */
static void say(layer_text *text, const layer_object *object) {
    layer_add_python(text);
    if (object != NULL) {
        add_origin(text, object);
    }
    layer_say(text);
    layer_free(text);
}

static void say_twice(const char *function, const void *handle, const layer_object *object, const layer_object *list) {
    layer_text text = {0};
    if (!layer_first_time(LAYER_LIFE, -1, TWICE, (uint64_t)(uintptr_t)handle)) {
        return;
    }
    layer_add(&text, LAYER_TEXT("%s destroys the %s %p a second time.\n", "%s 第二次销毁 %s %p。\n"), function, noun(object->kind), handle);
    if (list != NULL) {
        layer_add(&text, LAYER_TEXT(" - it was an element of the %s %p, which destroys its elements\n",
                                    " - 它是 %s %p 的元素，列表销毁时会销毁其元素\n"), noun(list->kind), list->handle);
    }
    say(&text, object);
}

bool layer_destroying(const char *function, const void *handle, layer_kind kind) {
    layer_was was;
    layer_object *object = layer_forget(handle, kind, &was);
    if (was == LAYER_WAS_DESTROYED && object->kind != LAYER_EXECUTOR) { /* executors are cached by CANN */
        say_twice(function, handle, object, NULL);
    }
    for (uint64_t at = 0; was == LAYER_WAS_ALIVE && at < object->member_count; at++) {
        const layer_object *member = layer_member(object, at, layer_kind_in(object));
        layer_was member_was = LAYER_WAS_UNKNOWN;
        layer_release(member != NULL ? layer_forget(member->handle, member->kind, &member_was) : NULL);
        if (member_was == LAYER_WAS_DESTROYED) {
            say_twice(function, member->handle, member, object);
        }
    }
    layer_release(object);
    return was == LAYER_WAS_ALIVE;
}

void layer_not_destroyed(const void *handle) {
    layer_object *object = layer_hold(handle);
    layer_restore(handle);
    for (uint64_t at = 0; object != NULL && at < object->member_count; at++) {
        const layer_object *member = layer_member(object, at, layer_kind_in(object));
        if (member != NULL) {
            layer_restore(member->handle);
        }
    }
    layer_release(object);
}

void layer_used_after(int operator_index, const char *param, int32_t status) {
    layer_text text = {0};
    if (layer_first_time(LAYER_LIFE, operator_index, AFTER, (uint64_t)(uintptr_t)param)) {
        layer_add(&text, LAYER_TEXT("%sGetWorkspaceSize is called with a handle (%s) that was destroyed before; it returned %d.\n",
                                    "调用 %sGetWorkspaceSize 时使用了已销毁的句柄（%s），返回 %d。\n"), aclspec_operators[operator_index].name,
                  param, (int)status);
        say(&text, NULL);
    }
}

/* ---- executors */

void layer_executor_made(void *executor, int operator_index, uint64_t workspace, uint64_t call, layer_data *data,
                         char *line) {
    layer_object *object = executor != NULL ? layer_new(executor, LAYER_EXECUTOR, 0) : NULL;
    if (object == NULL) {
        layer_data_free(data);
        free(line);
        return;
    }
    object->is.executor.data = data;
    object->is.executor.line = line;
    object->is.executor.operator_index = operator_index;
    object->is.executor.workspace = workspace;
    object->is.executor.call = call;
    layer_track(object);
}

static void say_workspace(int operator_index, const char *rule, const char *sentence, uint64_t asked, uint64_t given) {
    layer_text text = {0};
    if (layer_first_time(LAYER_LIFE, operator_index, rule, asked)) {
        layer_add(&text, sentence, aclspec_operators[operator_index].name, (unsigned long long)given, (unsigned long long)asked);
        say(&text, NULL);
    }
}

layer_object *layer_executor_runs(int operator_index, void *executor, const void *workspace, uint64_t size) {
    layer_object *object = executor != NULL ? layer_hold(executor) : NULL;
    if (size > 0 && workspace == NULL) {
        say_workspace(operator_index, NULL_WORKSPACE, LAYER_TEXT("%s is called with a null workspace of %llu bytes.\n",
                                                                 "调用 %s 时 workspace 为空，而大小为 %llu 字节。\n"), size, size);
    }
    if (object == NULL || object->kind != LAYER_EXECUTOR) {
        layer_release(object);
        return NULL;
    }
    layer_executor *made = &object->is.executor;
    if (!object->destroyed && size < made->workspace) {
        say_workspace(operator_index, SMALL,
                      LAYER_TEXT("%s is called with a workspace of %llu bytes, fewer than the %llu that phase one asked for.\n",
                                 "调用 %s 时 workspace 为 %llu 字节，少于第一阶段要求的 %llu 字节。\n"), made->workspace, size);
    }
    if (!object->destroyed && !made->repeatable) {
        layer_was was; /* phase two destroys it, and another thread may soon have a new one at its address */
        layer_release(layer_forget(executor, LAYER_EXECUTOR, &was));
    }
    return object;
}

layer_data *layer_executor_data(layer_object *object, void *stream) {
    layer_data *data = object != NULL ? atomic_exchange(&object->is.executor.data, NULL) : NULL;
    if (data != NULL) {
        layer_data_before(data, object->is.executor.repeatable, stream);
    }
    return data;
}

void layer_executor_keeps(layer_object *object, layer_data *data) {
    if (object != NULL && object->is.executor.repeatable) {
        data = atomic_exchange(&object->is.executor.data, data);
    }
    layer_data_free(data);
}

void layer_executor_moves(void *executor, const void *tensor, const void *address) {
    layer_object *object = layer_hold(executor);
    layer_data *data = object != NULL && object->kind == LAYER_EXECUTOR ? atomic_exchange(&object->is.executor.data, NULL) : NULL;
    if (data != NULL) {
        layer_data_move(data, tensor, address);
        layer_data_free(atomic_exchange(&object->is.executor.data, data));
    }
    layer_release(object);
}

bool layer_executor_ran(layer_object *object, int operator_index, int32_t status, uint64_t nanoseconds, const char *files) {
    if (object == NULL) {
        if (layer_records()) {
            layer_record_two(operator_index, 0, status, nanoseconds, false, NULL, NULL);
        }
        return false;
    }
    layer_executor *executor = &object->is.executor;
    const bool again = executor->runs++ > 0;
    /* A cached executor of CANN comes back too, and works. */
    const bool spent = again && status != 0 && !executor->repeatable;
    if (spent && layer_first_time(LAYER_LIFE, operator_index, SPENT, 0)) {
        layer_text text = {0};
        layer_add(&text, LAYER_TEXT("%s returned %d: its executor has run before, and was not made repeatable.\n",
                                    "%s 返回 %d：其执行器已运行过，且未设为可重复使用。\n"), aclspec_operators[operator_index].name, (int)status);
        say(&text, object);
    }
    if (layer_records() && executor->call > 0) {
        char *line = status != 0 || !executor->repeatable ? atomic_exchange(&executor->line, NULL) : NULL;
        layer_record_two(operator_index, executor->call, status, nanoseconds, again, files, line);
        free(line);
    }
    layer_release(object);
    return spent;
}

/* ---- the end */

typedef struct {
    uint64_t counts[LAYER_KINDS], never_run;
    layer_text origins[LAYER_KINDS];
} left;

static void count(const layer_object *object, void *state) {
    left *all = state;
    if (object->kind == LAYER_EXECUTOR && !object->is.executor.repeatable) {
        all->never_run += object->is.executor.runs == 0;
    } else if (all->counts[object->kind]++ == 0) {
        add_origin(&all->origins[object->kind], object);
    }
}

void layer_say_left(void) {
    left all = {0};
    layer_text text = {0};
    layer_each(count, &all);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        if (all.counts[kind] > 0) {
            layer_add(&text, "%s%s: %llu\n", text.length == 0 ? LAYER_TEXT("Handles that were never destroyed:\n", "未销毁的句柄：\n") : "",
                      noun((layer_kind)kind), (unsigned long long)all.counts[kind]);
            layer_add(&text, "%s", all.origins[kind].at != NULL ? all.origins[kind].at : "");
        }
        layer_free(&all.origins[kind]);
    }
    if (all.never_run > 0) {
        layer_add(&text, LAYER_TEXT("Executors whose phase two never ran: %llu\n", "第二阶段从未运行的执行器：%llu\n"),
                  (unsigned long long)all.never_run);
    }
    if (text.length > 0) {
        layer_say(&text);
    }
    layer_free(&text);
}
